/** A host of the laboratory: a network namespace. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { keep } from '../base/child.ts'
import { run } from './tools.ts'

export interface LabHost {
  /** The host's number, from 1. */
  readonly number: number
  /** Name of the namespace. It contains the id of the run. */
  readonly name: string
  address: string
  /** Index of the host's site. By default all hosts are on the first site. */
  site: number
  /** The host can dial others, but others can't dial it, as behind a NAT. */
  hidden: boolean
}

/** Runs a program on a host to its end. Returns its output. */
export function on(host: LabHost, program: string, args: readonly string[], input?: string): string {
  const [nsenter = '', ...rest] = within(host)
  return run(nsenter, [...rest, program, ...args], input)
}

/** Starts Node on a host, with these arguments. */
export function startOn(host: LabHost, args: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  const [nsenter = '', ...rest] = within(host)
  return keep(spawn(nsenter, [...rest, process.execPath, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
}

/** The beginning of a command line that runs a program on a host. */
export function within(host: LabHost): string[] {
  return ['nsenter', `--net=/run/netns/${host.name}`, '--']
}

/**
 * The host's hardware address. Hosts know the hardware addresses of each other. The forwarder finds
 * the receiver of a packet by its hardware address.
 */
export function hardware({ number }: LabHost): string {
  const bytes = [number >> 8, number & 0xff].map((byte) => byte.toString(16).padStart(2, '0'))
  return `02:00:00:00:${bytes.join(':')}`
}
