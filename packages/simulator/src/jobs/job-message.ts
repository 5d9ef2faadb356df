import { toBytes, type Message } from '@jel/compute/virtual'
import type { Digest } from '../engine/digest.ts'
import { Unencoded } from '../network/payload.ts'

/** What one scheduler says to another. It is encoded for its length only. */
export class JobMessage extends Unencoded {
  readonly message: Message
  override readonly length: number

  constructor(message: Message) {
    super()
    this.message = message
    this.length = toBytes(message).length
  }

  override digest(into: Digest): void {
    into.text(this.message.type)
    into.word(this.length)
  }
}

/** Bytes of multistream-select: its own name and that of the protocol, each way. */
const negotiation = 45

/** Says at one end that a stream is wanted, and at the other that it is there. */
export class StreamWord extends Unencoded {
  readonly word: 'open' | 'opened'
  override readonly length = negotiation

  constructor(word: StreamWord['word']) {
    super()
    this.word = word
  }

  override digest(into: Digest): void {
    into.text(this.word)
  }
}
