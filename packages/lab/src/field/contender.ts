/** The contenders: programs that keep the members of a group, one process a node. */
import type { ChildProcess } from 'node:child_process'
import type { LabHost } from '../network/host.ts'
import type { LabNetwork } from '../network/network.ts'

/** An agent's news about another agent, or about itself. */
export interface News {
  readonly type: 'joined' | 'left' | 'died'
  readonly about: string
}

export interface Agent {
  readonly name: string
  readonly child: ChildProcess
  /** Address through which others join. */
  readonly address: string
  /** When it reported that it had entered, Unix milliseconds. */
  readonly entered: number
}

interface Place {
  readonly network: LabNetwork
  readonly host: LabHost
  /** Different for each agent of a run. */
  readonly number: number
  /** Different for each run. */
  readonly group: string
}

export interface Contender {
  readonly name: string
  /** The program and its version. */
  readonly title: string
  /** Starts one agent and waits until it has entered. `tell` gets its earlier and later news. */
  readonly start: (place: Place, introducer: string | undefined, tell: (news: News) => void) => Promise<Agent>
}
