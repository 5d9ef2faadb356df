import { VirtualClock, type TimerInput } from '@jel/machine'
import type { GroupRequest, LeaseInput } from '../src/core/lease-input.ts'
import { Leases } from '../src/core/leases.ts'
import type { GroupEffect, GroupInput } from '../src/group/group-input.ts'
import { Groups } from '../src/group/groups.ts'
import type { GroupContent } from '../src/group/messages.ts'
import { ownerOf, numberOf, placeOf } from '../src/group/place.ts'
import type { StartResult, Wanted } from '../src/group/wanted.ts'

/** A history with more events than this never ends: 852 ranks take a fifth. */
const MOST_EVENTS = 200_000

/** Returns a number from 0 to 1. */
export type Random = () => number

export function randomOf(seed: number): Random {
  let state = seed * 2654435761 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

/** How long the program of a rank runs, ms, and what it does if a rank is lost. */
export interface Behaviour {
  readonly runs: number
  /** Delay of a message, ms. */
  readonly delay: () => number
  /** From a death until a member hears of it, ms. */
  readonly detection: () => number
  readonly onLost?: 'shrink'
  /** The program calls `regroup` after this time in each of the first so many epochs. */
  readonly boundaries?: { readonly every: number; readonly epochs: number }
}

/** The history of one rank. */
export interface Seen {
  readonly started: number
  readonly ran: number | undefined
  readonly epochs: readonly (readonly string[])[]
  readonly lost: readonly string[]
  /** For each epoch in which the program ran its ranks. */
  readonly lists: ReadonlyMap<number, string>
  /** For each epoch the sites of its ranks. */
  readonly sites: readonly (readonly string[] | undefined)[]
  readonly ended: boolean
}

/** The history of a rank that goes on. */
interface Changing extends Seen {
  ran: number | undefined
  ended: boolean
  epoch: number
  readonly epochs: string[][]
  readonly lost: string[]
  readonly lists: Map<number, string>
  readonly sites: (readonly string[] | undefined)[]
  /** Whether its program runs in this epoch, and whether its calls have ended. */
  isRunning: boolean
  isRevoked: boolean
}

interface Node {
  readonly groups: Groups
  readonly leases: Leases
  isDead: boolean
  leaseTimer: number
  groupTimer: number
  readonly seen: Map<string, Changing>
}

/**
 * Groups of many members on a virtual clock and network: messages between two members keep their
 * order.
 */
export class VirtualGroups extends VirtualClock {
  /** Messages that were sent so far. */
  messages = 0
  readonly results = new Map<string, { at: number; result: StartResult }>()
  /** Newcomers to which a program could have sent messages too early. */
  readonly early: string[] = []
  readonly outcomes: { group: string; rank: number; outcome: unknown }[] = []
  readonly #nodes = new Map<string, Node>()
  readonly #lastArrival = new Map<string, number>()
  readonly #behaviour: Behaviour
  /** Called before each message is sent. */
  onSend: ((from: string, to: string, content: GroupContent) => void) | undefined

  constructor(ids: readonly string[], behaviour: Behaviour, offered: Readonly<Record<string, number>> = { ranks: 1 }) {
    super()
    this.#behaviour = behaviour
    for (const id of ids) {
      const node: Node = {
        groups: new Groups(id, (program) => program === 'p'),
        leases: new Leases(),
        isDead: false,
        leaseTimer: Infinity,
        groupTimer: Infinity,
        seen: new Map(),
      }
      this.#nodes.set(id, node)
      for (const [name, total] of Object.entries(offered)) this.#lease(id, node, { type: 'offer', name, total })
    }
  }

  want(starter: string, wanted: Partial<Wanted> & Pick<Wanted, 'group' | 'candidates' | 'count'>, timeout = Infinity): void {
    const full: Wanted = {
      program: 'p',
      atLeast: wanted.grows === true ? 1 : wanted.count,
      grows: false,
      spares: 0,
      amounts: { ranks: 1 },
      for: 3_600_000,
      date: this.now,
      input: 'null',
      ...wanted,
    }
    this.#feed(starter, {
      type: 'want',
      wanted: full,
      layout: { inOrder: (ids) => ids.toSorted(), sitesOf: (places) => places.map((each) => `${starter}: ${ownerOf(each)}`) },
    })
    if (timeout < Infinity)
      this.after(timeout, () => this.#feed(starter, { type: 'stop', group: full.group, code: 'TIMEOUT', why: 'too late' }))
  }

  /** A member says something about a group, whatever its own state is. */
  say(from: string, to: string, group: string, content: GroupContent): void {
    this.#send(from, { type: 'send', to, group, from: 0, content })
  }

  stop(starter: string, group: string): void {
    this.#feed(starter, { type: 'stop', group, code: 'STOPPED', why: 'the test stops it' })
  }

  /** Names members that may join a group. */
  offer(starter: string, group: string, members: readonly string[]): void {
    this.#feed(starter, { type: 'offer', group, members })
  }

  /** Takes a member's capacity away for others, as a plain lease. */
  lease(id: string, amounts: Readonly<Record<string, number>>): void {
    const node = this.#nodes.get(id) as Node
    this.#lease(id, node, {
      type: 'ask',
      request: 0,
      holder: 'other',
      asked: { amounts, for: 1e9, from: 0, background: false, key: 'x' },
    })
  }

  /** Gives the capacity of `lease` back. */
  release(id: string): void {
    const node = this.#nodes.get(id) as Node
    this.#lease(id, node, { type: 'release', request: 0, holder: 'other', number: 1 })
  }

  kill(id: string): void {
    const node = this.#nodes.get(id)
    if (node === undefined || node.isDead) return
    node.isDead = true
    for (const [other, { isDead }] of this.#nodes) {
      if (isDead) continue
      this.after(this.#behaviour.detection(), () => {
        const hearing = this.#nodes.get(other) as Node
        this.#lease(other, hearing, { type: 'gone', holder: id })
        this.#feed(other, { type: 'gone', member: id, reason: 'died' })
      })
    }
  }

  /** Whether a member has died, or that of a place. */
  isDead(place: string): boolean {
    return this.#nodes.get(ownerOf(place))?.isDead === true
  }

  groupsOf(id: string): Groups {
    return (this.#nodes.get(id) as Node).groups
  }

  /** Whether nobody holds anything of a member. */
  isFree(id: string): boolean {
    return (this.#nodes.get(id) as Node).leases.mayOffer('ranks', 0, this.now)
  }

  /** The history of each rank, by place. */
  seen(group: string): ReadonlyMap<string, Seen> {
    const found = new Map<string, Seen>()
    for (const [id, node] of this.#nodes) {
      for (const [part, seen] of node.seen) if (ownerOf(part) === group) found.set(placeOf(id, numberOf(part)), seen)
    }
    return found
  }

  /** Runs until nothing happens any more, or for this time, ms. */
  run(time = Infinity): void {
    const until = this.now + time
    while (this.nextTime !== undefined && this.step(Math.min(until, this.nextTime)))
      if (this.events > MOST_EVENTS) throw new Error(`more than ${MOST_EVENTS} events`)
    if (until < Infinity) this.step(until)
  }

  #feed(id: string, input: GroupInput | TimerInput): void {
    const node = this.#nodes.get(id) as Node
    if (node.isDead) return
    for (const effect of node.groups.handle(input, this.now)) {
      if (node.isDead) return
      if (effect.type === 'timer') this.#wake(id, node, effect.at)
      else this.#carryOut(id, node, effect)
    }
  }

  #wake(id: string, node: Node, at: number): void {
    node.groupTimer = at
    if (at === Infinity) return
    this.after(Math.max(0, at - this.now), () => {
      if (node.groupTimer === at) this.#feed(id, { type: 'timer' })
    })
  }

  #carryOut(id: string, node: Node, effect: GroupEffect): void {
    if (effect.type === 'send') this.#send(id, effect)
    else if (effect.type === 'lease') this.#lease(id, node, effect.input)
    else if (effect.type === 'started') this.results.set(effect.group, { at: this.now, result: effect.result })
    else if (effect.type === 'outcome') this.outcomes.push({ group: effect.group, rank: effect.rank, outcome: effect.outcome })
    else if (effect.type === 'load') {
      const { part } = effect
      node.seen.set(part, {
        started: this.now,
        ran: undefined,
        ended: false,
        epoch: 0,
        epochs: [[...effect.ranks]],
        lost: [],
        lists: new Map(),
        sites: [effect.sites],
        isRunning: false,
        isRevoked: false,
      })
      this.after(effect.startsIn, () => this.#feed(id, { type: 'ready', part }))
    } else if (effect.type === 'end') this.#end(id, node, effect.part)
    else if (effect.type === 'rank') {
      const { part } = effect
      const seen = node.seen.get(part)
      if (seen === undefined || seen.ended) return
      if (effect.effect.type === 'run') {
        const { boundaries } = this.#behaviour
        const { epoch } = seen
        seen.lists.set(epoch, String(seen.epochs.at(-1)))
        if (boundaries !== undefined && epoch < boundaries.epochs)
          this.after(boundaries.every, () => {
            if (seen.epoch === epoch) this.#feed(id, { type: 'regroup', part })
          })
        else if (seen.ran === undefined || boundaries !== undefined) this.after(this.#behaviour.runs, () => this.#end(id, node, part))
        seen.ran ??= this.now
        const ranks = seen.epochs.at(-1) ?? []
        this.#noteEarly(part, ranks)
        seen.isRunning = true
        if (seen.isRevoked || seen.lost.some((each) => ranks.includes(each))) this.#onLost(id, part)
      } else if (effect.effect.type === 'lost') {
        seen.lost.push(effect.effect.place)
        if (effect.effect.reason !== 'died' && effect.effect.reason !== 'died or left') return
        this.#onLost(id, part)
      } else if (effect.effect.type === 'next') {
        seen.epochs.push([...effect.effect.ranks])
        seen.sites.push(effect.effect.sites)
        seen.epoch = effect.effect.epoch
        seen.lost.length = 0
        seen.isRunning = false
        seen.isRevoked = false
      } else {
        seen.isRevoked = true
        this.#onLost(id, part)
      }
    }
  }

  /** Notes newcomers that the program may talk to, and that don't know of it. */
  #noteEarly(part: string, ranks: readonly string[]): void {
    for (const place of ranks) {
      const { isDead, seen } = this.#nodes.get(ownerOf(place)) as Node
      const other = seen.get(placeOf(ownerOf(part), numberOf(place)))
      const waits = other?.ran === undefined && other?.ended === false
      if (!isDead && waits && other.epochs.at(-1)?.length === 1 && ranks.length > 1) this.early.push(place)
    }
  }

  /** The program goes on without the ranks that are lost. */
  #onLost(id: string, part: string): void {
    const seen = this.#nodes.get(id)?.seen.get(part)
    if (this.#behaviour.onLost === undefined || seen?.isRunning !== true) return
    const { epoch } = seen
    this.after(0, () => {
      if (!seen.ended && seen.epoch === epoch) this.#feed(id, { type: 'shrink', part })
    })
  }

  /** The program of a rank ends. */
  #end(id: string, node: Node, part: string): void {
    const seen = node.seen.get(part)
    if (seen === undefined || seen.ended) return
    seen.ended = true
    this.#feed(id, { type: 'finish', part, outcome: { value: id } })
  }

  #send(from: string, { to: place, group, from: number, content }: Extract<GroupEffect, { type: 'send' }>): void {
    const to = ownerOf(place)
    this.onSend?.(from, place, content)
    if (this.#nodes.get(from)?.isDead === true) return
    this.messages++
    const key = `${from} ${to}`
    const at = Math.max(this.now + (from === to ? 0 : this.#behaviour.delay()), this.#lastArrival.get(key) ?? 0)
    this.#lastArrival.set(key, at)
    const copy = structuredClone(content)
    this.after(at - this.now, () =>
      this.#feed(to, { type: 'message', from: placeOf(from, number), group, to: numberOf(place), content: copy }),
    )
  }

  #lease(id: string, node: Node, request: LeaseInput | GroupRequest | { type: 'timer' }): void {
    const input = request.type === 'hold' ? { ...request, wall: this.now } : request
    for (const effect of node.leases.handle(input, this.now)) {
      if (effect.type === 'timer') {
        if (effect.at < Infinity && effect.at < 1e9) {
          node.leaseTimer = effect.at
          this.after(Math.max(0, effect.at - this.now), () => {
            if (node.leaseTimer === effect.at && !node.isDead) this.#lease(id, node, { type: 'timer' })
          })
        }
      } else if ('group' in effect && effect.group !== undefined) this.#feed(id, { type: 'lease', effect })
    }
  }
}
