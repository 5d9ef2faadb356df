/** A host of the laboratory: a network namespace. */
import { run } from './tools.ts'

export interface LabHost {
  /** From 1. */
  readonly number: number
  /** Of the namespace; carries the id of the run. */
  readonly name: string
  address: string
  /** Number of its site; all stand on the first one where nothing else is said. */
  site: number
  /** It can dial, but can't be dialled, as behind a NAT. */
  hidden: boolean
}

/** Runs a program on a host. */
export function on(host: LabHost, program: string, args: readonly string[], input?: string): string {
  const [nsenter = '', ...rest] = within(host)
  return run(nsenter, [...rest, program, ...args], input)
}

/** What runs a program on a host. */
export function within(host: LabHost): string[] {
  return ['nsenter', `--net=/run/netns/${host.name}`, '--']
}

/** Its address on the wire, by which hosts are told of each other, and the forwarder knows whom a packet is for. */
export function hardware({ number }: LabHost): string {
  const bytes = [number >> 8, number & 0xff].map((byte) => byte.toString(16).padStart(2, '0'))
  return `02:00:00:00:${bytes.join(':')}`
}
