/** Contenders that are one process, in which each worker is a thread. */
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end } from '../base/child.ts'
import type { Client } from './client.ts'
import type { Called, Crew, Place } from './contender.ts'

/** Longest that the process may take to end, ms. */
const END = 1000

export function crewOfThreads(child: ChildProcess, client: Called<Client>, { workers, folder }: Place): Crew {
  return {
    client,
    nodes: 1,
    // No thread can be killed from outside, so a task that finds this file ends its own thread. In
    // either contender another thread takes its place.
    kill: () => {
      writeFileSync(diesFile(folder), '')
      return workers
    },
    outlived: () => Promise.reject(new Error('there is nobody else')),
    stop: () => end(child, END),
  }
}

export function diesFile(folder: string): string {
  return join(folder, 'die')
}
