/**
 * Seats on a virtual clock and network, with disks that lose what was not synced: the shell that
 * carries out the effects of each seat, and checks each of them.
 */
import { SeededClock } from '@jel/machine'
import { createRandom } from '@jel/protocol'
import * as v from 'valibot'
import { decodeConfiguration } from '../src/core/configuration.ts'
import { VOTERS } from '../src/core/entry.ts'
import type { Ledger } from '../src/core/ledger.ts'
import type { LedgerEffect, LedgerInput, LedgerOptions } from '../src/core/ledger-io.ts'
import type { Placed } from '../src/core/log.ts'
import { ledgerMessage, type LedgerMessage, type Proposal } from '../src/core/messages.ts'
import type { Page, Reader } from '../src/core/reader.ts'
import { restore } from '../src/core/store.ts'
import { Fold } from '../src/fold/fold.ts'
import { fastDigest } from './digest.ts'
import { Truth } from './truth.ts'
import { readStatement, type VirtualNode } from './virtual-node.ts'

export const LEDGER = 'virtual'

export interface Plan {
  readonly seed: number
  readonly founding: 'one' | 'ids' | 'number'
  readonly founders: number
  readonly page: number
  /** Entries between two snapshots. */
  readonly every: number
  /** Elections and crashes come so fast that logs part. */
  readonly isStormy: boolean
}

export class VirtualSeats extends SeededClock {
  readonly truth = new Truth()
  readonly nodes: VirtualNode[] = []
  /** All changes of voters that some leader has begun: their entries may be under way. */
  readonly begun: Placed[] = []
  /** Share of messages that are lost, and the side of each member in a cut. */
  loss = 0
  readonly sides = new Map<string, number>()
  delivered = 0
  changes = 0
  snapshots = 0
  protected readonly plan: Plan
  protected readonly options: LedgerOptions
  /** The last committed index at the beginning of each read, by its number. */
  protected readonly reads = new Map<number, number>()

  constructor(plan: Plan) {
    super(createRandom(plan.seed))
    this.plan = plan
    this.options = { digest: fastDigest, random: this.random, page: plan.page, part: 50 }
  }

  get up(): readonly VirtualNode[] {
    return this.nodes.filter(({ ledger }) => ledger !== undefined)
  }

  /** The seats that a member sees. */
  protected seen(node: VirtualNode): string[] {
    return this.up
      .filter((other) => other !== node && this.#side(other.id) === this.#side(node.id) && other.stalledUntil <= this.now)
      .flatMap(({ ledger }) => ledger?.state.seat ?? [])
  }

  #side(id: string): number {
    return this.sides.get(id) ?? 0
  }

  /** Gives an input to the seat of a member, and carries out its effects. */
  protected feed(node: VirtualNode, input: LedgerInput | { readonly type: 'timer' }): void {
    const { ledger, life } = node
    if (ledger === undefined) return
    if (node.stalledUntil > this.now) {
      this.after(node.stalledUntil - this.now, () => node.life === life && this.feed(node, input))
      return
    }
    const { role, term } = ledger.state
    const effects = ledger.handle(input, this.now)
    if (input.type === 'message' && input.message.type === 'preVote' && ledger.state.term !== term)
      throw new Error('a PreVote changes the term')
    if (role !== 'leader' && ledger.state.role === 'leader') this.truth.leads(ledger.state)
    for (const effect of effects)
      if (effect.type === 'timer') this.#wake(node, effect.at)
      else this.#carryOut(node, ledger, effect)
    this.truth.changes(ledger.state)
  }

  #wake(node: VirtualNode, at: number): void {
    const { life } = node
    if (node.wake === at) return
    node.wake = at
    if (at === Infinity) return
    this.after(Math.max(0, at - this.now), () => {
      if (node.wake !== at || node.life !== life) return
      node.wake = Infinity
      this.feed(node, { type: 'timer' })
    })
  }

  #carryOut(node: VirtualNode, ledger: Ledger, effect: LedgerEffect): void {
    switch (effect.type) {
      case 'write':
        if (effect.record.type === 'entries') {
          const { first, entries } = effect.record
          this.truth.appends(first, entries)
          for (const [at, { kind, body }] of entries.entries()) {
            const configuration = kind === VOTERS ? decodeConfiguration(body) : undefined
            if (configuration !== undefined) this.begun.push({ index: first + at, configuration })
          }
        }
        node.unsynced.push(effect)
        this.#sync(node)
        return
      case 'send':
        if (effect.after > ledger.state.synced) node.held.push(effect)
        else this.#send(node, effect.to, effect.message)
        return
      case 'committed':
        this.#committed(node, ledger, effect.first, effect.entries)
        return
      case 'installed':
        this.truth.installs(effect.snapshot.index, effect.snapshot.hash, effect.snapshot.state)
        this.snapshots += 1
        Object.assign(node, { fold: new Fold(readStatement, effect.snapshot.state), folded: effect.snapshot.index, saved: undefined })
        return
      case 'stopped':
        throw new Error(`${node.id} stops: ${effect.code}`)
      case 'leader':
      case 'noMajority':
        return
    }
  }

  #committed(node: VirtualNode, ledger: Ledger, first: number, entries: readonly (Proposal & { term: number; hash: string })[]): void {
    const { term, role, seat } = ledger.state
    this.truth.commits(term, first, entries)
    if (first !== node.folded + 1) throw new Error(`${node.id} skips entries from ${node.folded + 1} to ${first}`)
    for (const [at, entry] of entries.entries()) {
      if (entry.kind === 'voters' && role === 'leader') this.changes += 1
      this.truth.tells(first + at, node.fold.take(first + at, entry))
    }
    node.folded += entries.length
    if (node.folded >= ledger.state.log.snapshot.index + this.plan.every) {
      const before = node.saved
      node.saved = { index: node.folded, state: node.fold.save() }
      this.truth.saves(node.folded, node.saved.state)
      // An older state, so that a tail of entries stays.
      if (before !== undefined) this.after(0, () => this.feed(node, { type: 'compact', ...before }))
    }
    if (role !== 'leader') return
    const page: Page = { first, entries, hash: entries.at(-1)?.hash ?? '' }
    for (const other of this.up) if (other !== node && this.random() < 0.7) this.#spread(node, seat, other, page)
  }

  /** A page on the topic. Some are damaged. */
  #spread(node: VirtualNode, seat: string, other: VirtualNode, page: Page): void {
    if (this.#side(other.id) !== this.#side(node.id)) return
    const index = page.first + page.entries.length - 1
    const isDamaged = this.random() < 0.1
    const entries = isDamaged ? page.entries.map((entry) => ({ ...entry, kind: `${entry.kind}x` })) : page.entries
    this.after(this.between(1, 40), () => {
      const result = other.reader.take(seat, { ...page, entries })
      if (result === 'gap') this.#catchUp(other.reader, node)
      if (other.reader.hash !== this.truth.hashAt(other.reader.index) && other.reader.index > 0)
        throw new Error('a reader leaves the chain')
      if (!isDamaged) this.feed(other, { type: 'tip', index, hash: page.hash })
    })
  }

  #catchUp(reader: Reader, { ledger }: VirtualNode): void {
    if (ledger === undefined) return
    const { log, commit, seat } = ledger.state
    if (reader.index < log.snapshot.index) reader.install(log.snapshot)
    const entries = log.slice(reader.index + 1, commit)
    reader.take(seat, { first: reader.index + 1, entries, hash: log.hashAt(commit) ?? '' })
  }

  #sync(node: VirtualNode): void {
    const { life } = node
    if (node.isSyncing || node.unsynced.length === 0) return
    node.isSyncing = true
    const number = node.unsynced.at(-1)?.number ?? 0
    // A slow card now and then.
    this.after(this.random() < 0.05 ? this.between(100, 600) : this.between(0, 30), () => {
      if (node.life !== life) return
      node.isSyncing = false
      node.synced.push(...node.unsynced.filter((each) => each.number <= number).map(({ record }) => record))
      node.unsynced = node.unsynced.filter((each) => each.number > number)
      const released = node.held.filter(({ after }) => after <= number)
      node.held = node.held.filter(({ after }) => after > number)
      for (const { to, message } of released) this.#send(node, to, message)
      this.feed(node, { type: 'written', number })
      this.#sync(node)
    })
  }

  #send(node: VirtualNode, to: string, message: LedgerMessage): void {
    const seat = node.ledger?.state.seat ?? ''
    const before = to === 'client' && message.type === 'readAt' ? this.reads.get(message.number) : undefined
    if (before !== undefined && message.type === 'readAt' && message.index < before) throw new Error('a read misses what was committed')
    if (message.type === 'vote' || message.type === 'voted' || message.type === 'appended')
      this.truth.promises(seat, to, message, restore(node.synced))
    const target = this.nodes.find(({ id }) => to.startsWith(`${id}/`))
    if (target === undefined || this.#side(target.id) !== this.#side(node.id)) return
    for (let copies = this.random() < 0.05 ? 2 : 1; copies > 0; copies--)
      if (this.random() >= this.loss) this.arrive(target, seat, to, message)
  }

  protected arrive(node: VirtualNode, from: string, to: string, message: LedgerMessage): void {
    const checked = this.delivered % 8 === 0 ? v.parse(ledgerMessage, message) : message
    const delay = this.random() < 0.01 ? this.between(100, 4000) : this.between(1, 40)
    this.after(delay, () => {
      this.delivered += 1
      this.feed(node, { type: 'message', ledger: LEDGER, from, to, message: checked })
    })
  }
}
