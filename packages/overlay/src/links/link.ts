/**
 * The link to one process of a peer. If both sides dial at the same time there are two connections
 * or more, but the protocol sees one link.
 */
import type { Connection } from '@libp2p/interface'
import type { StreamPair } from './stream-pair.ts'

export class Link {
  /** The process at the other end. Undefined until it names itself. */
  instance: string | undefined
  readonly #pairs: StreamPair[]
  #pausedUntil = 0

  constructor(pair: StreamPair) {
    this.#pairs = [pair]
  }

  /** The stream pairs. The link sends frames on the first pair, and receives frames on all. */
  get pairs(): readonly StreamPair[] {
    return this.#pairs
  }

  get connections(): Connection[] {
    return this.#pairs.map(({ connection }) => connection)
  }

  add(pair: StreamPair): void {
    this.#pairs.push(pair)
    const paused = this.#pausedUntil - performance.now()
    if (paused > 0) pair.pause(paused)
  }

  /** Sends frames on this pair from now on. */
  prefer(pair: StreamPair): void {
    this.remove(pair)
    this.#pairs.unshift(pair)
  }

  remove(pair: StreamPair): void {
    const index = this.#pairs.indexOf(pair)
    if (index >= 0) this.#pairs.splice(index, 1)
  }

  send(frame: Uint8Array, isUrgent: boolean): void {
    const [pair] = this.#pairs
    if (isUrgent) pair?.sendUrgent(frame)
    else pair?.send(frame)
  }

  /** Delivers only urgent frames for this time, ms. */
  pause(time: number): void {
    this.#pausedUntil = performance.now() + time
    for (const pair of this.#pairs) pair.pause(time)
  }
}
