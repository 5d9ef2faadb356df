import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { keep } from '../driver/child.ts'
import type { Order, Part, Seen, Word } from './words.ts'

const PROGRAM = fileURLToPath(new URL('node.ts', import.meta.url))
/** Longest wait for any word, beside the time for which it is known to be busy, in milliseconds. */
const PATIENCE = 180_000

/** One process of the trial. */
export class Actor {
  readonly child: ChildProcess
  ids: readonly string[] = []
  addresses: readonly string[] = []
  /** What each of its nodes saw, in order. */
  readonly seen = new Map<string, Seen[]>()
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()

  private constructor(part: Part) {
    this.child = keep(fork(PROGRAM, [JSON.stringify(part)]))
    this.child.on('message', (word: Word) => this.#hear(word))
    this.child.once('exit', (code, signal) => {
      for (const each of this.#waiting.values()) each.reject(new Error(`the process ended: ${code ?? signal}`))
    })
  }

  static async start(part: Part): Promise<Actor> {
    const actor = new Actor(part)
    await actor.hears('joined')
    return actor
  }

  tell(order: Order): void {
    this.child.send(order)
  }

  /** Resolves when it says this, which it is not expected to for so many milliseconds. Ask before it can. */
  async hears(word: Word['word'], busy = 0): Promise<void> {
    const patience = PATIENCE + busy
    const waiter = Promise.withResolvers<void>()
    this.#waiting.set(word, waiter)
    const timer = setTimeout(() => waiter.reject(new Error(`no "${word}" within ${patience} ms`)), patience)
    await waiter.promise.finally(() => clearTimeout(timer))
  }

  #hear(word: Word): void {
    if (word.word === 'seen') {
      const all = this.seen.get(word.id) ?? []
      this.seen.set(word.id, all)
      all.push(word.seen)
      return
    }
    if (word.word === 'joined') ({ ids: this.ids, addresses: this.addresses } = word)
    if (word.word === 'failed') for (const each of this.#waiting.values()) each.reject(new Error(word.message))
    this.#waiting.get(word.word)?.resolve()
  }
}
