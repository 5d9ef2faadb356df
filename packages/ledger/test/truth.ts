/** All that was ever true in a history, and the rules that no step may break. */
import type { Entry } from '../src/core/entry.ts'
import type { LedgerMessage } from '../src/core/messages.ts'
import type { LedgerState } from '../src/core/state.ts'
import type { Durable } from '../src/core/store.ts'

export class Truth {
  readonly #leaders = new Map<number, string>()
  readonly #committed: { readonly hash: string; readonly term: number }[] = []
  readonly #winners = new Map<string, string>()
  readonly #events = new Map<number, string>()
  readonly #states = new Map<number, string>()
  /** Votes by seat and term. */
  readonly #votes = new Map<string, string>()
  /** The hash of each entry that anybody had, by index and term. */
  readonly #entries = new Map<string, string>()

  /** The last index that anybody has committed. */
  get committed(): number {
    return this.#committed.length
  }

  hashAt(index: number): string | undefined {
    return this.#committed[index - 1]?.hash
  }

  /** One leader a term, and it has all that was committed in earlier terms. */
  leads({ term, seat, log }: LedgerState): void {
    const other = this.#leaders.get(term)
    if (other !== undefined) throw new Error(`two leaders in term ${term}: ${other} and ${seat}`)
    this.#leaders.set(term, seat)
    for (let index = Math.max(1, log.snapshot.index); index <= this.committed; index++) {
      const entry = this.#committed[index - 1]
      if (entry !== undefined && entry.term < term && log.hashAt(index) !== entry.hash)
        throw new Error(`the leader of term ${term} lacks the committed entry ${index}`)
    }
  }

  /** Log matching: entries of one index and one term are the same, and so are all before them. */
  appends(first: number, entries: readonly Entry[]): void {
    for (const [at, { term, hash }] of entries.entries()) {
      const place = `${first + at} ${term}`
      if ((this.#entries.get(place) ?? hash) !== hash) throw new Error(`two entries of one term at ${place}`)
      this.#entries.set(place, hash)
    }
  }

  /** A change of voters begins when the one before it is committed. */
  changes({ seat, log: { before } }: LedgerState): void {
    if (before !== undefined && before.index > this.committed) throw new Error(`${seat} has two changes of voters that are not committed`)
  }

  /** One entry an index. */
  commits(term: number, first: number, entries: readonly Entry[]): void {
    for (const [at, { hash }] of entries.entries()) {
      const known = this.#committed[first + at - 1]
      if (known !== undefined && known.hash !== hash) throw new Error(`two entries are committed at ${first + at}`)
      if (first + at > this.committed + 1) throw new Error(`nobody has committed the entry before ${first + at}`)
      if (known === undefined) this.#committed.push({ hash, term })
    }
  }

  installs(index: number, hash: string, state: Uint8Array): void {
    if (this.hashAt(index) !== hash) throw new Error(`a snapshot of an entry ${index} that is not committed`)
    this.saves(index, state)
  }

  /** The same entries give the same state. */
  saves(index: number, state: Uint8Array): void {
    const text = new TextDecoder().decode(state)
    if ((this.#states.get(index) ?? text) !== text) throw new Error(`two states at ${index}`)
    this.#states.set(index, text)
  }

  /** All members get the same events, and an epoch of an election has one winner. */
  tells(index: number, events: readonly object[]): void {
    const text = JSON.stringify(events)
    if ((this.#events.get(index) ?? text) !== text) throw new Error(`two lists of events at ${index}: ${this.#events.get(index)}, ${text}`)
    this.#events.set(index, text)
    for (const event of events as readonly { type: string; election: string; epoch: number; winner: object }[]) {
      if (event.type !== 'elected') continue
      const [reign, winner] = [`${event.election} ${event.epoch}`, JSON.stringify(event.winner)]
      if ((this.#winners.get(reign) ?? winner) !== winner) throw new Error(`two winners of ${reign}`)
      this.#winners.set(reign, winner)
    }
  }

  /** A promise that others hear is synced, and a seat votes once a term. */
  promises(seat: string, to: string, message: LedgerMessage, disk: Durable | undefined): void {
    if ((message.type === 'voted' && message.ok) || message.type === 'vote') {
      if ((disk?.term ?? 0) < message.term) throw new Error(`${seat} votes before it has synced`)
      const candidate = message.type === 'vote' ? seat : to
      const vote = `${seat} ${message.term}`
      if ((this.#votes.get(vote) ?? candidate) !== candidate) throw new Error(`${seat} votes twice in term ${message.term}`)
      this.#votes.set(vote, candidate)
    }
    if (message.type === 'appended' && message.ok && disk?.term === message.term && disk.log.lastIndex < message.index)
      throw new Error(`${seat} acknowledges before it has synced`)
  }
}
