import type { Digest } from '@jel/simulator/internals'
import { Unencoded } from '@jel/simulator'
import type { Message } from './call.ts'

/**
 * A message in transit: a part of a call, from the caller (a request) or to the caller (an answer
 * or a refusal).
 */
export class Packet extends Unencoded {
  /** The number that the caller gave to the call. */
  readonly call: number
  /** `refusal`: the called node has stopped, so no answer will come. */
  readonly kind: 'request' | 'answer' | 'refusal'
  readonly message: Message
  override readonly length: number

  constructor(call: number, kind: Packet['kind'], message: Message) {
    super()
    this.call = call
    this.kind = kind
    this.message = message
    this.length = message.bytes
  }

  override digest(into: Digest): void {
    into.word(this.call)
    into.text(this.kind)
    into.text(this.message.type)
    into.number(this.length)
  }
}
