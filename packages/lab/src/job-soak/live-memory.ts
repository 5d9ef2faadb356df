/**
 * Measures the memory that a process holds after a collection of its garbage. Resident memory says
 * little about a leak: with gigabytes free, the engine lets garbage lie for half an hour.
 *
 * A measured process loads this module first, in each of its threads. Each thread then writes its
 * live memory to a file of its own.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { threadId } from 'node:worker_threads'
import { collectGarbage } from '../base/garbage.ts'

const FOLDER = 'JEL_LIVE_MEMORY'
const SAMPLE_EVERY = 10_000

/** Returns the variables with which a process measures itself. */
export function measuredEnv(folder: string): Record<string, string> {
  return { [FOLDER]: folder, NODE_OPTIONS: `--expose-gc --import ${fileURLToPath(import.meta.url)}` }
}

/** Returns the live bytes of all threads of a process; undefined before the first sample. */
export function liveMemoryOf(folder: string, pid: number): number | undefined {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${pid}-`))
  if (files.length === 0) return undefined
  return files.reduce((sum, name) => sum + Number(readFileSync(join(folder, name), 'utf8')), 0)
}

const { [FOLDER]: folder } = process.env
if (folder !== undefined) {
  setInterval(() => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    writeFileSync(join(folder, `${process.pid}-${threadId}`), String(heapUsed + external))
  }, SAMPLE_EVERY).unref()
}
