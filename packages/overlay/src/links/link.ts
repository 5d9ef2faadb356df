/**
 * The link to one process of a peer. If both sides dial at the same time there are two connections
 * or more, but the protocol sees one link.
 */
import type { Connection } from '@libp2p/interface'
import type { Channel } from './channel.ts'

export class Link {
  /** The process at the other end. Undefined until it names itself. */
  instance: string | undefined
  readonly #channels: Channel[]
  #pausedUntil = 0

  constructor(channel: Channel) {
    this.#channels = [channel]
  }

  /** All channels. The link sends frames on the first channel, and receives frames on all. */
  get channels(): readonly Channel[] {
    return this.#channels
  }

  get connections(): Connection[] {
    return this.#channels.map(({ connection }) => connection)
  }

  add(channel: Channel): void {
    this.#channels.push(channel)
    const paused = this.#pausedUntil - performance.now()
    if (paused > 0) channel.pause(paused)
  }

  /** Sends frames on this channel from now on. */
  prefer(channel: Channel): void {
    this.remove(channel)
    this.#channels.unshift(channel)
  }

  remove(channel: Channel): void {
    const index = this.#channels.indexOf(channel)
    if (index >= 0) this.#channels.splice(index, 1)
  }

  send(frame: Uint8Array, isUrgent: boolean): void {
    const [channel] = this.#channels
    if (isUrgent) channel?.sendUrgent(frame)
    else channel?.send(frame)
  }

  /** Delivers only urgent frames for this time, ms. */
  pause(time: number): void {
    this.#pausedUntil = performance.now() + time
    for (const channel of this.#channels) channel.pause(time)
  }
}
