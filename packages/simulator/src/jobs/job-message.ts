import type { Message } from '@jel/compute/internals'
import type { Digest } from '../engine/digest.ts'
import { InMemoryPayload } from '../network/payload.ts'

/** A message from one scheduler to another. It travels without encoding. */
export class JobMessage extends InMemoryPayload {
  readonly message: Message
  override readonly length: number

  constructor(message: Message, length: number) {
    super()
    this.message = message
    this.length = length
  }

  override digest(into: Digest): void {
    into.text(this.message.type)
    into.word(this.length)
  }
}

/** The bytes of multistream-select in each direction: its own name and the protocol's name. */
const negotiation = 45

/** Requests a stream, or confirms that it is open. */
export class StreamWord extends InMemoryPayload {
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
