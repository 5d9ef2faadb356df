import type { Address, Command, Milliseconds, NodeId } from '@jel/protocol'
import type { Dialable } from './network/endpoint.ts'
import type { PathEnd } from './network/reachability.ts'
import type { Protocol } from './protocol/protocol.ts'

/** The place of a process in the network. */
export interface TestbedEndpoint extends PathEnd {
  readonly dialable: Dialable
  /** The links of the process, by peer. */
  readonly connections: ReadonlyMap<NodeId, readonly { readonly since: Milliseconds }[]>
  /** The most links that the process had at once. */
  readonly mostLinks: number
}

/** One process of the pool. */
export interface TestbedNode {
  /** Its position in the order of starting. */
  readonly index: number
  readonly id: NodeId
  /** `standing`: the process is stopped or busy. `gone`: it has ended. */
  readonly state: 'running' | 'standing' | 'gone'
  readonly startedAt: Milliseconds
  /** True if the process follows the protocol. */
  readonly honest: boolean
  /** True if its application asked to leave. */
  readonly leaves: boolean
  readonly addresses: readonly Address[]
  readonly endpoint: TestbedEndpoint
  /** The state of its protocol. */
  readonly protocol: Pick<Protocol, 'self' | 'members' | 'reign'>
  readonly traffic: { readonly received: { readonly bytes: number }; readonly dials: number; readonly hostProbes: number }
  /** Returns true if this process is or was the member of that incarnation. */
  lived(incarnation: number): boolean
  command(command: Command): void
}
