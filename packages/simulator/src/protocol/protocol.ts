import type { BroadcastVerdict, Effect, Input, Member, Milliseconds, NodeId, Reign, Services } from '@jel/protocol'

/** What the simulator runs: the state machine of `@jel/protocol`, or anything else of that shape. */
export interface Protocol {
  handle(input: Input, now: Milliseconds): Effect[]
  handleBroadcast(data: Uint8Array, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect[] }
  readonly self: Member | undefined
  members(): Member[]
  reign(election: string): Reign | undefined
}

/** What one instance of it is made from. */
export interface ProtocolParts {
  readonly id: NodeId
  readonly pool: string
  readonly location: string
  readonly tag: Uint8Array
  readonly storedIncarnation: number
  readonly services: Services
}
