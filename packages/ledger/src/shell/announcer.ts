import type { LedgerNews } from './news.ts'

/**
 * Maximum number of different warnings that are given. A member that lies may cause many. A guess.
 */
const MAX_WARNED = 256

/** Gives the news of a ledger to its listeners. Gives each warning only once. */
export class Announcer {
  readonly #listeners = new Set<(news: LedgerNews) => void>()
  readonly #warned = new Set<string>()

  /** Returns a function that unsubscribes the listener. */
  subscribe(listener: (news: LedgerNews) => void): () => void {
    const entry = (news: LedgerNews): void => listener(news)
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  emit(news: LedgerNews): void {
    for (const listener of this.#listeners) listener(news)
  }

  warn(code: string, message: string): void {
    const text = `${code} ${message}`
    if (this.#warned.has(text) || this.#warned.size >= MAX_WARNED) return
    this.#warned.add(text)
    this.emit({ type: 'warning', code, message })
  }
}
