import type { Pool } from '@jel/jel'
import { Channels } from '@jel/channel'
import { MAX_MESSAGE_BYTES } from './group.ts'
import { FINISHED_TAG, HEADER_BYTES, headerOf, withHeader } from './header.ts'
import { numberOf, ownerOf, placeOf } from './place.ts'
import type { RunningRank } from './running-rank.ts'

/** Bytes that may wait for a member before `send` waits. A guess. */
export const MAX_WAITING = 4 * 1_048_576
/** A send that waits checks at this interval whether its rank is lost, ms. A guess. */
const LOOK_AGAIN = 100

/** The messages between programs, from and to the ranks of this member. */
export class RankMessages {
  readonly #self: string
  readonly #channels: Channels
  /** The running ranks of this member, by the names of their parts. */
  readonly #ranks: ReadonlyMap<string, RunningRank>

  /**
   * @param onFinished called when the rank at the place `from` has ended, and has told this to the
   *   rank at the place with the number `to` of this member
   */
  constructor(
    pool: Pool,
    ranks: ReadonlyMap<string, RunningRank>,
    onFinished: (group: string, from: string, to: number) => void,
    onFailed: (member: string, error: Error) => void,
  ) {
    this.#self = pool.self.id
    this.#ranks = ranks
    this.#channels = new Channels(pool, {
      protocol: '/jel-group-data/1.0.0',
      maxBytes: HEADER_BYTES + MAX_MESSAGE_BYTES,
      onMessage: (from, bytes) => {
        const { group, epoch, tag, from: sender, to } = headerOf(bytes)
        if (tag !== FINISHED_TAG)
          return this.#ranks.get(placeOf(group, to))?.receive(placeOf(from, sender), epoch, tag, bytes.subarray(HEADER_BYTES))
        onFinished(group, placeOf(from, sender), to)
        return undefined
      },
      onFailed,
    })
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#channels.start(signal)
  }

  close(): void {
    this.#channels.close()
  }

  /** Sends a message of a rank of this member. Resolves when the next message may follow. */
  async send(part: string, place: string, epoch: number, tag: number, bytes: Uint8Array, isOpen: () => boolean): Promise<void> {
    const [group, from, to, number] = [ownerOf(part), numberOf(part), ownerOf(place), numberOf(place)]
    if (to === this.#self) {
      const taken = this.#ranks.get(placeOf(group, number))?.receive(placeOf(to, from), epoch, tag, bytes)
      if (taken !== undefined) await whileOpen(isOpen, taken)
      return
    }
    // All calls and groups share the bytes that may wait for a member.
    while (isOpen() && this.#channels.waiting(to) > MAX_WAITING) await Promise.race([this.#channels.drained(to, MAX_WAITING), lookAgain()])
    if (isOpen()) this.#channels.send(to, withHeader({ group, epoch, tag, from, to: number }, bytes))
  }

  /**
   * Tells the rank at another place that a rank here has ended. The message comes after all other
   * messages of that rank.
   */
  finished(group: string, from: number, to: string): void {
    this.#channels.send(ownerOf(to), withHeader({ group, epoch: 0, tag: FINISHED_TAG, from, to: numberOf(to) }, new Uint8Array()))
  }
}

/** Waits for a moment: a rank may be lost while a message for it waits. */
async function lookAgain(): Promise<false> {
  return await new Promise((resolve) => setTimeout(() => resolve(false), LOOK_AGAIN))
}

/** Waits until a receiver at this member has taken a message, or can't be reached any more. */
async function whileOpen(isOpen: () => boolean, taken: Promise<void>): Promise<void> {
  const done = taken.then(() => true)
  while (isOpen()) if (await Promise.race([done, lookAgain()])) return
}
