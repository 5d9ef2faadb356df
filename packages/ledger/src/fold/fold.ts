import { toJson } from '../core/json.ts'
import { decode, fromBase64, type Body, type ReadStatement } from './bodies.ts'
import { Elections } from './elections.ts'
import type { LedgerEvent, LedgerMember, Life } from './events.ts'
import { readSaved, type Saved } from './saved.ts'

/** The most ended ids that an open pool remembers. A guess: 60 bytes each. */
const MAX_ENDED = 50_000

/** The rank and the last incarnation of an id that has joined. */
interface Known {
  readonly rank: number
  readonly incarnation: number
}

/**
 * Computes the events of a ledger: joins, ends, reigns and ordered messages. The events depend on
 * the committed entries only. So of two members, the events of one are a prefix of the events of
 * the other. An invalid entry changes nothing, and neither does the second copy of an entry. A join
 * that a full pool refuses gives the event `refused` each time.
 */
export class Fold {
  readonly #read: ReadStatement
  readonly #elections = new Elections()
  /** Living members, in the order of joining. */
  readonly #members = new Map<string, LedgerMember>()
  /**
   * The latest life of each id that has joined. In an open pool, ids whose lives have ended come in
   * the order of these ends.
   */
  readonly #known = new Map<string, Known>()
  /** The number of the last ordered message of each living member. */
  readonly #numbers = new Map<string, number>()
  #size: number | undefined
  #nextRank = 0

  /**
   * @param saved the state of a snapshot
   * @throws RangeError if these bytes are no state of a fold
   */
  constructor(read: ReadStatement, saved?: Uint8Array) {
    this.#read = read
    if (saved === undefined || saved.length === 0) return
    const state = readSaved(saved)
    if (state === undefined) throw new RangeError('these bytes are no state of a ledger')
    this.#load(state)
  }

  /** The living members, in the order of joining. */
  get members(): readonly LedgerMember[] {
    return [...this.#members.values()]
  }

  /** The living member with this id. */
  member(id: string): LedgerMember | undefined {
    return this.#members.get(id)
  }

  /** The reign of an election. Undefined: there is none. */
  reignOf(election: string): { readonly winner: Life; readonly epoch: number } | undefined {
    return this.#elections.reignOf(election)
  }

  get reigns(): readonly { readonly election: string; readonly winner: Life; readonly epoch: number }[] {
    return this.#elections.reigns
  }

  /** The size of a pool of a fixed size. Undefined: there is no limit. */
  get size(): number | undefined {
    return this.#size
  }

  /** Whether a pool of a fixed size is full. */
  get isPoolClosed(): boolean {
    return this.#nextRank === this.#size
  }

  /** The number of the last ordered message of a member's life. 0: there is none. */
  lastNumber(id: string): number {
    return this.#numbers.get(id) ?? 0
  }

  /** Applies the next committed entry. */
  take(index: number, entry: { readonly kind: string; readonly body: Uint8Array }): readonly LedgerEvent[] {
    const body = decode(entry)
    return body === undefined ? [] : this.#take(index, body)
  }

  /**
   * Gives all reigns a new epoch, for a new generation of the ledger. The lost majority may have
   * committed later reigns, so the epoch must be higher than theirs.
   */
  renewReigns(index: number): void {
    this.#elections.renew(index)
  }

  /** The state for a snapshot. The same entries give the same bytes. */
  save(): Uint8Array {
    const saved: Saved = {
      size: this.#size,
      nextRank: this.#nextRank,
      members: this.members,
      known: [...this.#known],
      numbers: [...this.#numbers],
      elections: this.#elections.save(),
    }
    return toJson(saved)
  }

  #take(index: number, body: Body): LedgerEvent[] {
    switch (body.kind) {
      case 'begin':
        if (index === 1) this.#size = body.size
        return []
      case 'join':
        return this.#join(index, body.statement)
      case 'gone':
        return this.#isMember(body) ? this.#end(index, body, body.how) : []
      case 'stand':
        return this.#isMember(body) ? this.#elections.stand(body.election, body, body.sequence, index) : []
      case 'withdraw':
        return this.#isMember(body) ? this.#elections.withdraw(body.election, body, body.sequence, index) : []
      case 'order':
        return this.#order(index, body)
    }
  }

  /** Whether a life has ended. An open pool forgets lives that ended long ago. */
  hasEnded({ id, incarnation }: Life): boolean {
    return incarnation <= (this.#known.get(id)?.incarnation ?? 0) && !this.#isMember({ id, incarnation })
  }

  #isMember({ id, incarnation }: Life): boolean {
    return this.#members.get(id)?.incarnation === incarnation
  }

  #join(index: number, statement: string): LedgerEvent[] {
    const life = this.#read(fromBase64(statement))
    if (life === undefined) return []
    const { id, incarnation } = life
    const known = this.#known.get(id)
    if (known !== undefined && incarnation <= known.incarnation) return []
    const isFull = known === undefined && this.#size !== undefined && this.#nextRank >= this.#size
    if (isFull) return [{ type: 'refused', index, life: { id, incarnation } }]
    const before = this.#members.get(id)
    const events = before === undefined ? [] : this.#end(index, before, 'died')
    const member = { id, incarnation, rank: known?.rank ?? this.#nextRank++, index }
    this.#members.set(id, member)
    this.#known.set(id, { rank: member.rank, incarnation })
    events.push({ type: 'joined', index, member })
    if (known === undefined && this.#nextRank === this.#size) events.push({ type: 'poolClosed', index })
    return events
  }

  #end(index: number, { id, incarnation }: Life, how: 'left' | 'died'): LedgerEvent[] {
    this.#members.delete(id)
    this.#numbers.delete(id)
    this.#forgetOldest(id)
    return [{ type: 'ended', index, life: { id, incarnation }, how }, ...this.#elections.gone(id, index)]
  }

  /**
   * Forgets the id whose life ended first, to bound the memory of an open pool. A pool of a fixed
   * size has few ids, and must know them all.
   */
  #forgetOldest(ended: string): void {
    const last = this.#known.get(ended)
    if (this.#size !== undefined || last === undefined) return
    this.#known.delete(ended)
    this.#known.set(ended, last)
    if (this.#known.size <= MAX_ENDED + this.#members.size) return
    for (const id of this.#known.keys()) {
      if (this.#members.has(id)) continue
      this.#known.delete(id)
      return
    }
  }

  /**
   * Messages of one life count in the order of their numbers. A message that comes too early is
   * lost.
   */
  #order(index: number, body: Body<'order'>): LedgerEvent[] {
    const { id, incarnation, number, name, payload } = body
    if (!this.#isMember(body) || number !== (this.#numbers.get(id) ?? 0) + 1) return []
    this.#numbers.set(id, number)
    return [{ type: 'ordered', index, from: { id, incarnation }, name, payload: fromBase64(payload) }]
  }

  #load({ size, nextRank, members, known, numbers, elections }: Saved): void {
    this.#size = size
    this.#nextRank = nextRank
    for (const member of members) this.#members.set(member.id, member)
    for (const [id, each] of known) this.#known.set(id, each)
    for (const [id, number] of numbers) this.#numbers.set(id, number)
    this.#elections.load(elections)
  }
}
