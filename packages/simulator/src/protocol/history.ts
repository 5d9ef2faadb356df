import type { Input } from '@jel/protocol'
import type { VirtualClock } from '@jel/machine'
import { Digest } from '../engine/digest.ts'
import type { Payload } from '../network/payload.ts'

const inputCodes: Record<Input['type'], number> = {
  start: 1,
  command: 2,
  frame: 3,
  broadcast: 4,
  connected: 5,
  disconnected: 6,
  unreachable: 7,
  hostProbed: 8,
  discovered: 9,
  addresses: 10,
  timer: 11,
  misbehaved: 12,
  reach: 13,
}

/** The code of an input to a node's application. It differs from the codes above. */
const applied = 14

/** The digest of all inputs of all nodes, in order and with their times. */
export class History {
  readonly #clock: VirtualClock
  readonly #digest = new Digest()

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  get hash(): string {
    return this.#digest.hex()
  }

  /** Adds an input. `sender` is the number of the node that sent a frame. */
  input(node: number, input: Input<Payload>, sender?: number): void {
    this.#digest.number(this.#clock.now)
    this.#digest.word(node * 16 + inputCodes[input.type])
    if (input.type === 'frame' || input.type === 'broadcast') this.#digest.content(input.data)
    if (sender !== undefined) this.#digest.word(sender)
    else if (input.type === 'frame') this.#digest.text(input.from)
    else if ('peer' in input) this.#digest.text(input.peer ?? '')
  }

  /**
   * Adds an input of the node's application. `word` is the code of its kind, and `about` is its
   * subject.
   */
  applied(node: number, word: number, about: string): void {
    this.#digest.number(this.#clock.now)
    this.#digest.word(node * 16 + applied)
    this.#digest.word(word)
    this.#digest.text(about)
  }

  /** Adds the end of a process. */
  ended(node: number): void {
    this.#digest.text(`ended ${node}`)
  }
}
