/** The contenders: programs that keep the members of a group, one process a node. */
import { jelVersion } from '../base/paths.ts'
import type { LabHost } from '../network/host.ts'
import type { StartNode } from '../swarm/start-node.ts'

export interface Contender {
  readonly name: string
  /** The program and its version. */
  readonly title: string
  readonly bin: string
  /** Default: as a node of `jel`. */
  readonly start?: StartNode
  /** The arguments of an agent. `number`: different for each agent of a run. */
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
