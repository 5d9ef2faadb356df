import type { GroupRequest, LeaseInput } from '../src/core/lease-input.ts'
import { Leases } from '../src/core/leases.ts'
import type { GroupEffect, GroupInput } from '../src/group/group-input.ts'
import { Groups } from '../src/group/groups.ts'
import { numberOf, ownerOf, placeOf } from '../src/group/place.ts'
import type { StartResult, Wanted } from '../src/group/wanted.ts'

interface Node {
  readonly groups: Groups
  readonly leases: Leases
  /** All inputs so far, as one number: a machine that got the same ones is in the same state. */
  history: number
  readonly running: Set<string>
}

/** One history of some members: the test chooses which message arrives next. */
export class OneOrder {
  readonly results = new Map<string, StartResult>()
  /** Groups that run on a member at this moment. */
  readonly #nodes = new Map<string, Node>()
  /** Messages on their way, by `from to`. Those of one pair keep their order. */
  readonly #channels = new Map<string, Extract<GroupInput, { type: 'message' }>[]>()
  readonly #ended = new Map<string, number>()

  constructor(ids: readonly string[], wanted: readonly (readonly [string, Wanted])[]) {
    for (const id of ids) {
      const node: Node = {
        groups: new Groups(id, (program) => program === 'p'),
        leases: new Leases(),
        history: 0,
        running: new Set(),
      }
      this.#nodes.set(id, node)
      this.#lease(id, node, { type: 'offer', name: 'ranks', total: 1 })
    }
    for (const [starter, each] of wanted)
      this.#feed(starter, {
        type: 'want',
        wanted: each,
        layout: { inOrder: (some) => some.toSorted(), sitesOf: (some) => some.map(() => '') },
      })
  }

  /** The next possible steps: a message of a pair arrives, or a program ends. */
  get choices(): string[] {
    const ends = [...this.#nodes].flatMap(([id, { running }]) => [...running].map((group) => `end ${id} ${group}`))
    return [...[...this.#channels].filter(([, queue]) => queue.length > 0).map(([pair]) => pair), ...ends]
  }

  /** Two orders with the same state go on in the same way. */
  get state(): string {
    return [...this.#nodes.values()].map(({ history }) => history.toString(36)).join(' ')
  }

  /** The number of ranks of a group whose programs have ended. */
  ended(group: string): number {
    return this.#ended.get(group) ?? 0
  }

  /** Whether two programs run on one member. */
  get isShared(): boolean {
    return [...this.#nodes.values()].some(({ running }) => running.size > 1)
  }

  get areAllFree(): boolean {
    return [...this.#nodes.values()].every(({ leases }) => leases.mayOffer('ranks', 0, 0))
  }

  choose(choice: string): void {
    const [from = '', to = '', group = ''] = choice.split(' ')
    if (from === 'end') {
      this.#nodes.get(to)?.running.delete(group)
      this.#ended.set(group, this.ended(group) + 1)
      this.#feed(to, { type: 'finish', part: group, outcome: { value: 0 } })
      return
    }
    const message = this.#channels.get(choice)?.shift()
    if (message !== undefined) this.#feed(to, message)
  }

  #feed(id: string, input: GroupInput): void {
    const node = this.#nodes.get(id) as Node
    node.history = hash(node.history, JSON.stringify(input))
    for (const effect of node.groups.handle(input, 0)) if (effect.type !== 'timer') this.#carryOut(id, node, effect)
  }

  #carryOut(id: string, node: Node, effect: GroupEffect): void {
    if (effect.type === 'send') {
      // Outcomes change nothing at the members.
      if ('outcome' in effect.content) return
      const { to, group, from, content } = effect
      const message = { type: 'message', from: placeOf(id, from), group, to: numberOf(to), content } as const
      if (ownerOf(to) === id) this.#feed(id, message)
      else {
        const pair = `${id} ${ownerOf(to)}`
        const queue = this.#channels.get(pair) ?? []
        this.#channels.set(pair, queue)
        queue.push(message)
      }
    } else if (effect.type === 'lease') this.#lease(id, node, effect.input)
    else if (effect.type === 'started') this.results.set(effect.group, effect.result)
    else if (effect.type === 'load') this.#feed(id, { type: 'ready', part: effect.part })
    else if (effect.type === 'rank' && effect.effect.type === 'run') node.running.add(effect.part)
  }

  #lease(id: string, node: Node, request: LeaseInput | GroupRequest): void {
    const input = request.type === 'hold' ? { ...request, wall: 0 } : request
    for (const effect of node.leases.handle(input, 0))
      if ('group' in effect && effect.group !== undefined) this.#feed(id, { type: 'lease', effect })
  }
}

/** FNV-1a over 52 bits. */
function hash(before: number, text: string): number {
  let [low, high] = [(before ^ 0x81_1c_9d_c5) >>> 0, Math.floor(before / 2 ** 32) ^ 0x01_93]
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0
    high = Math.imul(high ^ text.charCodeAt(at) ^ (low >>> 13), 0x85_eb_ca_6b) >>> 0
  }
  return (high & 0xf_ff_ff) * 2 ** 32 + low
}

/**
 * Visits each state that some order of the messages reaches. `visit` sees a state in which nothing
 * more can happen, and `check` each state. Returns the number of states.
 */
export function inAllOrders(
  make: () => OneOrder,
  check: (world: OneOrder) => void,
  visit: (world: OneOrder) => void,
  limit: number,
): number {
  const seen = new Set<string>()
  const open: string[][] = [[]]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const world = make()
    for (const choice of path) world.choose(choice)
    // Follows one order to its end, and keeps the others for later.
    for (;;) {
      const { state } = world
      if (seen.has(state)) break
      seen.add(state)
      if (seen.size > limit) throw new Error(`more than ${limit} states`)
      check(world)
      const [first, ...others] = world.choices
      if (first === undefined) {
        visit(world)
        break
      }
      for (const other of others) open.push([...path, other])
      path.push(first)
      world.choose(first)
    }
  }
  return seen.size
}
