/**
 * The contenders: programs that keep the list of members of a group, with one process for each
 * node.
 */
import { jelVersion } from '../base/paths.ts'
import type { LabHost } from '../network/host.ts'
import type { StartNode } from '../swarm/start-node.ts'

export interface Contender {
  readonly name: string
  /** The program and its version. */
  readonly title: string
  readonly bin: string
  /** Starts an agent. Default: like a node of `jel`. */
  readonly start?: StartNode
  /** The arguments of an agent. `number` is different for each agent of a run. */
  readonly args: (host: LabHost, number: number) => readonly string[]
}

/** `jel` itself: `jel join --json`. */
export function jel(bin: string): Contender {
  return {
    name: 'jel',
    title: `jel ${jelVersion()}, node ${process.version}`,
    bin,
    args: (_, number) => ['--location', `n${number}`],
  }
}
