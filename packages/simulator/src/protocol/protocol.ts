import type { BroadcastVerdict, Effect, Input, Member, Milliseconds, NodeId, ProtocolNode, Reign, Services } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'

/**
 * A protocol that the simulator can run: the state machine of `@jel/protocol`, or another state
 * machine of that shape.
 */
export interface Protocol {
  handle(input: Input<Payload>, now: Milliseconds): Effect<Payload>[]
  handleBroadcast(data: Payload, now: Milliseconds): { verdict: BroadcastVerdict; effects: Effect<Payload>[] }
  readonly self: Member | undefined
  /** See `ProtocolNode.isDeparting`. */
  readonly isDeparting?: boolean
  members(): Member[]
  member?(id: NodeId): Member | undefined
  reign(election: string): Reign | undefined
}

/** The protocol of `@jel/protocol` as it runs in the simulator. */
export type JelNode = ProtocolNode<Payload>

/** The parts of an instance of a protocol. */
export interface ProtocolParts {
  readonly id: NodeId
  readonly pool: string
  readonly location: string
  readonly tag: Uint8Array
  readonly storedIncarnation: number
  readonly services: Services<Payload>
}
