import type { Address, Milliseconds, NodeId } from '@jel/protocol'

/** A node to call. */
export interface Contact {
  readonly id: NodeId
  readonly address: Address
}

/** A message of a call. `bytes`: its size on the wire, in bytes. */
export interface Message {
  readonly type: string
  readonly bytes: number
}

export interface CallOptions<M extends Message> {
  readonly to: Contact
  readonly request: M
  /** The call fails if there is no connection after this time. */
  readonly timeout: Milliseconds
  /**
   * True if the caller tries an unreachable peer again until the timeout (the `fillTimeout` of the
   * SmartSockets library).
   */
  readonly persistent: boolean
  /** Takes an answer. Returns the next message of the call, or undefined to end the call. */
  answered(message: M): M | undefined
  failed(): void
}
