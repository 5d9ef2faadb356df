import type { Milliseconds } from '@jel/protocol'
import type { GossipMessage } from './gossip-message.ts'

/** A control message of gossipsub. */
export class GossipControl {
  readonly kind: 'subscribe' | 'graft' | 'prune' | 'ihave' | 'iwant'
  /** The messages of `ihave` and `iwant`. */
  readonly messages: readonly GossipMessage[]
  /** For `prune`: the peer may not graft for this time. */
  readonly backoff: Milliseconds

  private constructor(kind: GossipControl['kind'], messages: readonly GossipMessage[] = [], backoff = 0) {
    this.kind = kind
    this.messages = messages
    this.backoff = backoff
  }

  static readonly subscribe = new GossipControl('subscribe')
  static readonly graft = new GossipControl('graft')

  static prune(backoff: Milliseconds): GossipControl {
    return new GossipControl('prune', [], backoff)
  }

  /** Announces these messages. */
  static ihave(messages: readonly GossipMessage[]): GossipControl {
    return new GossipControl('ihave', messages)
  }

  /** Requests these messages. */
  static iwant(messages: readonly GossipMessage[]): GossipControl {
    return new GossipControl('iwant', messages)
  }
}

/** Bytes of a topic of jel, `/jel/<16 digits>/1`, with tag and length. */
const topicBytes = 25

/** Bytes of a message's id in IHAVE, IWANT and IDONTWANT: 16, with tag and length. */
const idBytes = 18

/** Returns the bytes of the RPC that carries a control message. From gossipsub's rpc.proto. */
export function controlBytes({ kind, messages }: GossipControl): number {
  switch (kind) {
    case 'subscribe':
      return topicBytes + 4
    case 'graft':
      return topicBytes + 4
    case 'prune':
      return topicBytes + 6
    case 'ihave':
      return topicBytes + 6 + messages.length * idBytes
    case 'iwant':
      return 6 + messages.length * idBytes
  }
}

/** The bytes of the RPC that carries one IDONTWANT. */
export const idontwantBytes = 4 + idBytes

/** The bytes of the RPC that carries a message, beside its data. */
export const messageOverhead = topicBytes + 6
