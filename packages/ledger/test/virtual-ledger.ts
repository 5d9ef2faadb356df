/**
 * Members of a ledger that crash, stall, and lose their stores, and clients that ask them. A
 * history follows from its seed.
 */
import { seatsOf, type Configuration } from '../src/core/configuration.ts'
import { Ledger } from '../src/core/ledger.ts'
import type { Proposal } from '../src/core/messages.ts'
import { openSeat, restore } from '../src/core/store.ts'
import { Fold } from '../src/fold/fold.ts'
import { fastDigest } from './digest.ts'
import { describeNode, isSafeWithout, makeNode, readStatement, type VirtualNode } from './virtual-node.ts'
import { LEDGER, VirtualSeats, type Plan } from './virtual-seats.ts'

export class VirtualLedger extends VirtualSeats {
  /** Seats whose stores are lost. */
  readonly gone = new Set<string>()
  crashes = 0
  #number = 0

  constructor(plan: Plan) {
    super(plan)
    const ids = Array.from({ length: plan.founders }, (_, at) => `m${at}`)
    for (const id of ids) this.add(id, this.#founding(ids))
  }

  get leaders(): readonly VirtualNode[] {
    return this.up.filter(({ ledger }) => ledger?.state.role === 'leader')
  }

  /** The states of all members, for a report. */
  describe(): string {
    const lines = this.nodes.map((node) => describeNode(node))
    return [`${this.now} committed ${this.truth.committed}, lost stores ${[...this.gone].join(' ')}`, ...lines].join('\n')
  }

  /** Adds a member. Without a configuration it enters a ledger that exists. */
  add(id: string, configuration: Configuration = { groups: [] }): VirtualNode {
    const node = makeNode(id, LEDGER)
    this.nodes.push(node)
    this.start(node, configuration)
    return node
  }

  start(node: VirtualNode, configuration: Configuration = { groups: [] }): void {
    const { records, durable } = openSeat(fastDigest, node.synced, { ledger: LEDGER, id: node.id, configuration }, () =>
      node.lost.toString(16),
    )
    node.synced = [...records]
    node.ledger = new Ledger(this.options, durable)
    node.life += 1
    const { index, state } = durable.log.snapshot
    Object.assign(node, { fold: new Fold(readStatement, state), folded: index, saved: undefined, stalledUntil: 0 })
    this.feed(node, { type: 'seen', seats: this.seen(node) })
  }

  /** Stops a member. Its disk keeps some of the writes that were not synced. */
  crash(node: VirtualNode): void {
    if (node.ledger === undefined) return
    this.crashes += 1
    const kept = this.between(0, node.unsynced.length + 1)
    node.synced.push(...node.unsynced.slice(0, kept).map(({ record }) => record))
    Object.assign(node, { ledger: undefined, unsynced: [], held: [], isSyncing: false, wake: Infinity })
    node.life += 1
    for (const other of this.up)
      if (this.random() < 0.8) this.after(this.between(1, 450), () => this.feed(other, { type: 'lost', id: node.id }))
  }

  /** Empties the disk of a member that is down, if the ledger survives that. */
  lose(node: VirtualNode): boolean {
    const seat = restore(node.synced)?.seat
    if (node.ledger !== undefined || seat === undefined || this.truth.committed < 3) return false
    const dead = new Set([...this.gone, seat])
    const survives = this.nodes.every(({ synced, unsynced }) => {
      const log = restore([...synced, ...unsynced.map(({ record }) => record)])?.log
      return (log?.configurations ?? []).slice(-2).every(({ configuration }) => isSafeWithout(configuration, dead))
    })
    // A leader may just begin a change to voters that it wants.
    const isWanted = this.up.some(({ ledger }) => {
      const seats = ledger?.state.wanted
      return seats !== undefined && !isSafeWithout({ groups: [{ seats: [...seats] }] }, dead)
    })
    const isBegun = this.begun.some(({ index, configuration }) => index > this.truth.committed && !isSafeWithout(configuration, dead))
    if (!survives || isWanted || isBegun) return false
    this.gone.add(seat)
    node.synced = []
    node.lost += 1
    return true
  }

  /** Lets a member stand, as a leader that hands over would. */
  hurry(): void {
    const node = this.up[this.between(0, this.up.length)]
    const state = node?.ledger?.state
    if (node !== undefined && state !== undefined) this.arrive(node, 'x', state.seat, { type: 'timeoutNow', term: state.term })
  }

  /** Lets a member stand still. */
  stall(node: VirtualNode, time: number): void {
    node.stalledUntil = this.now + time
  }

  /** A client proposes something, mostly to a leader. */
  propose(entry: Proposal): void {
    const asked = this.random() < 0.7 && this.leaders.length > 0 ? this.leaders : this.up
    const node = asked[this.between(0, asked.length)]
    const seat = node?.ledger?.state.seat
    if (node === undefined || seat === undefined) return
    this.arrive(node, 'client', seat, { type: 'propose', number: this.#number++, entries: [entry] })
  }

  /** A client reads. The answer must have all that was committed before. */
  read(): void {
    const node = this.leaders[this.between(0, this.leaders.length)]
    const number = this.#number++
    if (node?.ledger === undefined) return
    this.reads.set(number, this.truth.committed)
    this.arrive(node, 'client', node.ledger.state.seat, { type: 'read', number })
  }

  /** The overlay tells each member of the seats that it sees. A leader chooses voters of them. */
  look(): void {
    for (const node of this.up) {
      const seen = this.seen(node)
      this.feed(node, { type: 'seen', seats: seen })
      if (node.ledger?.state.role === 'leader') this.feed(node, { type: 'want', seats: this.#choose(node, seen) })
    }
  }

  /** Keeps the voters that it sees, and fills up to the largest odd number, five at most. */
  #choose(node: VirtualNode, seen: readonly string[]): string[] {
    const state = node.ledger?.state
    const all = [...new Set([state?.seat ?? '', ...seen])]
    const size = Math.min(5, all.length - (1 - (all.length % 2)))
    const present = state === undefined ? [] : seatsOf(state.configuration)
    // At times it prefers others, as for a better location.
    const others = all.toSorted((one, other) => Number(present.includes(other)) - Number(present.includes(one)))
    if (!this.plan.isStormy || this.random() < 0.7) return (this.random() < 0.03 ? others.toReversed() : others).slice(0, size)
    return [...all.slice(this.between(0, all.length)), ...all].slice(0, Math.min(size, 1 + 2 * this.between(0, 2)))
  }

  #founding(ids: readonly string[]): Configuration {
    if (this.plan.founding === 'ids') return { groups: [{ ids: [...ids] }] }
    return { groups: [this.plan.founding === 'number' ? { anyOf: ids.length } : { seats: ids.map((id) => `${id}/0`) }] }
  }
}
