/**
 * Visits each state that a few seats can reach. The network is the set of all messages ever sent:
 * each may come at any time, again, or never. Seats may crash between any two steps, and then lose
 * the writes that were not synced.
 *
 * A transition of one seat is computed once. The states of the world consist of numbers of states
 * of seats, so most steps are lookups.
 */
import { isFounding } from '../src/core/configuration.ts'
import type { LedgerInput, LedgerOptions } from '../src/core/ledger-io.ts'
import type { Log } from '../src/core/log.ts'
import type { LedgerMessage } from '../src/core/messages.ts'
import { seatOf } from '../src/core/seat.ts'
import { fastDigest } from './digest.ts'
import { checkChanges, checkLogs, checkPromises, factsOf, withFacts, type Fact, type Ghost } from './explored-rules.ts'
import { Interned } from './interned.ts'
import type { Scenario } from './scenarios.ts'
import { LEDGER, crash, keyOf, makeNode, messageKey, start, step, sync, type Held, type SeatNode } from './seat-node.ts'

/** A time at which each timer is due. */
const LATER = 1e9
const state = new Uint8Array(5)

/** The effect of a step of a seat on the others. */
interface Shown {
  readonly node: number
  readonly sent: readonly number[]
  readonly facts: readonly Fact[]
}

interface Sent {
  readonly from: string
  readonly to: string
  readonly message: LedgerMessage | { readonly type: 'tip'; readonly index: number; readonly hash: string }
}

interface World {
  readonly nodes: readonly number[]
  /** The number of a set of messages. */
  readonly network: number
  readonly facts: number
  /** The events that may still happen: stands, crashes, losses, proposals, reads. */
  readonly left: readonly number[]
}

export class Exploration {
  readonly #scenario: Scenario
  readonly #options: LedgerOptions
  readonly #nodes = new Interned<SeatNode>()
  readonly #messages = new Interned<Sent>()
  readonly #networks = new Interned<ReadonlySet<number>>()
  readonly #ghosts = new Interned<Ghost>()
  readonly #steps = new Map<string, Shown>()
  /** Pairs of seats whose logs were compared. */
  readonly #compared = new Set<number>()
  readonly #seats: readonly string[]
  steps = 0
  states = 0

  constructor(scenario: Scenario) {
    this.#scenario = scenario
    this.#seats = scenario.ids.map((id) => this.#seatOf(id))
    this.#options = { digest: fastDigest, random: () => 0.5, page: scenario.page ?? 64, part: 3 }
  }

  /** The first seat of an id. */
  #seatOf(id: string): string {
    const { configuration, newcomers = [] } = this.#scenario
    return seatOf(id, '0', isFounding(configuration) && !newcomers.includes(id))
  }

  /** Returns true if it saw all states, and false if it stopped at `limit` states. */
  run(limit: number): boolean {
    const { ids, configuration, newcomers = [], stands, crashes = 0, losses = 0, proposals = 0, reads = 0 } = this.#scenario
    const nodes = ids.map((id) => {
      const known = newcomers.includes(id) ? { groups: [] } : configuration
      return this.#intern(makeNode(id, this.#options, known, this.#seats, this.#scenario.starts?.[id]))
    })
    const first: World = {
      nodes,
      network: this.#networks.add('', new Set()),
      facts: this.#ghost({ leaders: {}, committed: this.#committedAt(nodes) }),
      left: [stands.length, crashes, losses, proposals, reads],
    }
    const seen = new Set([keyOfWorld(first)])
    const open = [first]
    for (let world = open.pop(); world !== undefined; world = open.pop()) {
      for (const next of this.#next(world)) {
        this.steps += 1
        const key = keyOfWorld(next)
        if (seen.has(key)) continue
        seen.add(key)
        open.push(next)
      }
      if (seen.size > limit) break
    }
    this.states = seen.size
    if (this.#scenario.mustLead === true && open.length === 0 && this.#ghosts.all.every(({ leaders }) => Object.keys(leaders).length === 0))
      throw new Error('no order of messages gives a leader')
    return open.length === 0
  }

  *#next(world: World): Generator<World> {
    const { ids, stands, isLate = false, preVote = false, snapshots = false, want } = this.#scenario
    for (const message of this.#networks.get(world.network)) {
      const { to } = this.#messages.get(message)
      const at = ids.findIndex((id) => to.startsWith(`${id}/`))
      if (at !== -1) yield* this.#step(world, at, `m${message}`)
      else if (to === '*') for (const [each] of ids.entries()) yield* this.#step(world, each, `m${message}`)
    }
    const turn = stands[stands.length - (world.left[0] ?? 0)]
    for (const [at, id] of ids.entries()) {
      const node = this.#nodes.get(world.nodes[at] as number)
      if (node.state === undefined) yield* this.#step(world, at, 'start')
      if (id === turn || turn === '*') yield* this.#step(world, at, preVote ? 'timer' : 'stand', 0)
      if (isLate && node.unsynced.length > 0) yield* this.#step(world, at, 'sync')
      for (let kept = 0; kept <= (isLate ? Math.max(0, node.unsynced.length - 1) : 0); kept++)
        yield* this.#step(world, at, `crash${kept}`, 1)
      yield* this.#step(world, at, 'lose', 2)
      if (node.state?.role !== 'leader') continue
      yield* this.#step(world, at, 'propose', 3)
      yield* this.#step(world, at, 'read', 4)
      if (want !== undefined && node.state.wanted === undefined) yield* this.#step(world, at, 'want')
      if (snapshots) yield* this.#step(world, at, 'compact')
    }
  }

  #committedAt(nodes: readonly number[]): Ghost['committed'] {
    const [id, count] = this.#scenario.committed ?? ['', 0]
    const at = this.#scenario.ids.indexOf(id)
    return at === -1 ? [] : (this.#logOf(nodes[at] as number)?.slice(1, count) ?? [])
  }

  /** The world after an input of one seat. `budget`: the place in `left` that it uses up. */
  *#step(world: World, at: number, input: string, budget?: number): Generator<World> {
    if (budget !== undefined && world.left[budget] === 0) return
    const before = world.nodes[at] as number
    const name = `${before} ${input}`
    let shown = this.#steps.get(name)
    if (shown === undefined) {
      shown = this.#compute(before, input)
      this.#steps.set(name, shown)
    }
    const network = this.#add(world.network, shown.sent)
    if (shown.node === before && network === world.network) return
    const nodes = world.nodes.with(at, shown.node)
    const left = budget === undefined ? world.left : world.left.with(budget, (world.left[budget] ?? 0) - 1)
    const log = this.#logOf(shown.node)
    const ghost = withFacts(this.#ghosts.get(world.facts), shown.facts, log)
    const facts = shown.facts.length === 0 ? world.facts : this.#ghost(ghost)
    for (const other of nodes) this.#compare(shown.node, other)
    checkChanges(log, ghost)
    yield { nodes, network, facts, left }
  }

  #compute(before: number, input: string): Shown {
    const node = this.#nodes.get(before)
    if (input.startsWith('crash')) return this.#same(node.state === undefined ? node : crash(node, Number(input.slice(5))))
    if (input === 'lose') return this.#same(node.state === undefined ? node : { ...crash(node, 0), synced: [], lost: node.lost + 1 })
    if (input === 'start') return this.#same(start(node, this.#options, this.#seats))
    if (node.state === undefined) return this.#same(node)
    const { seat, term, role } = node.state
    let result =
      input === 'sync' ? sync(node, this.#options) : step(node, this.#options, this.#input(node, input), this.#isTimed(input) ? LATER : 0)
    let facts = factsOf(result)
    const message = input.startsWith('m') ? this.#messages.get(Number(input.slice(1))).message : undefined
    if (message?.type === 'preVote' && result.node.state?.term !== term) throw new Error('a PreVote changes the term')
    // A disk that is never late syncs until nothing is left.
    while (this.#scenario.isLate !== true && result.node.unsynced.length > 0) {
      checkPromises(result, seat)
      const more = sync(result.node, this.#options)
      facts = [...facts, ...factsOf(more)]
      result = { node: more.node, sent: [...result.sent, ...more.sent], effects: [...result.effects, ...more.effects] }
    }
    checkPromises(result, seat)
    if (role !== 'leader' && result.node.state?.role === 'leader') facts = [{ type: 'leads', term: result.node.state.term, seat }, ...facts]
    for (const effect of result.effects) if (effect.type === 'stopped') throw new Error(`a seat stops: ${effect.code}`)
    const sent = result.sent.filter((each) => isHeard(each)).map(({ to, message: each }) => this.#message(seat, to, each))
    const commits = this.#scenario.tips === true ? facts.filter((fact) => fact.type === 'commits') : []
    const tips = commits.map(({ index, hash }) => this.#message(seat, '*', { type: 'tip', index, hash }))
    return { node: this.#intern(result.node), sent: [...sent, ...tips], facts }
  }

  #same(node: SeatNode): Shown {
    return { node: this.#intern(node), sent: [], facts: [] }
  }

  #input({ state: now, id }: SeatNode, input: string): LedgerInput | { type: 'timer' } {
    const to = now?.seat ?? ''
    const told = { type: 'message', ledger: LEDGER, to } as const
    if (input === 'timer') return { type: 'timer' }
    if (input === 'stand') return { ...told, from: 'x/0', message: { type: 'timeoutNow', term: now?.term ?? 0 } }
    if (input === 'want') return { type: 'want', seats: (this.#scenario.want ?? []).map((each) => this.#seatOf(each)) }
    if (input === 'compact') return { type: 'compact', index: now?.commit ?? 0, state }
    if (input === 'read') return { ...told, from: 'client', message: { type: 'read', number: 1 } }
    if (input === 'propose')
      return {
        ...told,
        from: 'client',
        message: { type: 'propose', number: 2, entries: [{ kind: 'order', body: new TextEncoder().encode(id) }] },
      }
    const { from, message } = this.#messages.get(Number(input.slice(1)))
    return message.type === 'tip' ? message : { ...told, from, message }
  }

  /** The timers are due, or no leader was heard for long. */
  #isTimed(input: string): boolean {
    return input === 'timer' || (input.startsWith('m') && this.#messages.get(Number(input.slice(1))).message.type === 'preVote')
  }

  #intern(node: SeatNode): number {
    return this.#nodes.add(keyOf(node), node)
  }

  #logOf(node: number): Log | undefined {
    return this.#nodes.get(node).state?.log
  }

  #message(from: string, to: string, message: object): number {
    return this.#messages.add(`${from} ${to} ${messageKey(message)}`, { from, to, message: message as LedgerMessage })
  }

  #add(network: number, sent: readonly number[]): number {
    const before = this.#networks.get(network)
    if (sent.every((each) => before.has(each))) return network
    const all = [...new Set([...before, ...sent])].toSorted((one, other) => one - other)
    return this.#networks.add(all.join(), new Set(all))
  }

  #ghost(ghost: Ghost): number {
    return this.#ghosts.add(JSON.stringify(ghost), ghost)
  }

  #compare(one: number, other: number): void {
    const pair = one * 2 ** 26 + other
    if (one === other || this.#compared.has(pair)) return
    this.#compared.add(pair)
    checkLogs(this.#logOf(one), this.#logOf(other))
  }
}

/** Refused votes change nothing but terms, which other messages carry too. */
function isHeard({ to, message }: Held): boolean {
  return !to.startsWith('client') && !('ok' in message && !message.ok && !('index' in message))
}

function keyOfWorld({ nodes, network, facts, left }: World): string {
  return `${nodes.join()}|${network}|${facts}|${left.join()}`
}
