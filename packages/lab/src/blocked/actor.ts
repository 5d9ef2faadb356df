import { setTimeout as delay } from 'node:timers/promises'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import type { BlockedNode, Part, Seen } from './node.ts'

/** Longest wait for an answer, beyond the time for which the process blocks, ms. A guess. */
const TIMEOUT = 180_000

/** One process of the experiment. */
export class Actor {
  readonly #process: RemoteProcess<BlockedNode>
  readonly ids: readonly string[]
  readonly addresses: readonly string[]

  private constructor(process: RemoteProcess<BlockedNode>, { ids, addresses }: Pick<Actor, 'ids' | 'addresses'>) {
    this.#process = process
    this.ids = ids
    this.addresses = addresses
  }

  static async start(part: Part): Promise<Actor> {
    const process = startRemote<BlockedNode>(new URL('node.ts', import.meta.url))
    return new Actor(process, await inTime('join', process.remote.join(part)))
  }

  get child(): RemoteProcess<BlockedNode>['child'] {
    return this.#process.child
  }

  /** Resolves when the process has stopped blocking. */
  async block(ms: number): Promise<void> {
    await inTime('block', this.#process.remote.block(ms), ms)
  }

  /** Sends signals to these members, one after the other. */
  async signal(to: readonly string[], count: number): Promise<void> {
    await inTime('signal', this.#process.remote.signal(to, count))
  }

  async leave(): Promise<void> {
    await inTime('leave', this.#process.remote.leave())
  }

  /** The events that each of its nodes saw so far, in order. */
  async seen(): Promise<ReadonlyMap<string, readonly Seen[]>> {
    return await inTime('seen', this.#process.remote.seen())
  }
}

async function inTime<Value>(what: string, answer: Promise<Value>, busy = 0): Promise<Value> {
  const over = new AbortController()
  const late = delay(TIMEOUT + busy, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer to "${what}" within ${TIMEOUT + busy} ms`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([answer, late])
  } finally {
    over.abort()
  }
}
