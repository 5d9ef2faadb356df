/** Many replicas on a virtual clock and network. */
import { SeededClock } from '@jel/machine'
import { createRandom } from '@jel/protocol'
import type { Answer } from '../src/core/call-messages.ts'
import type { Reapplied } from '../src/core/reapplied.ts'
import type { ReplicaEffect, ReplicaInput, ReplicaOptions } from '../src/core/replica-io.ts'
import { textOfMessage, type OutgoingMessage } from '../src/core/replica-messages.ts'
import { Replica } from '../src/core/replica.ts'
import { VirtualElections } from './virtual-elections.ts'
import type { Node, Operation } from './virtual-node.ts'

export interface WorldOptions {
  readonly members: number
  readonly seed: number
  readonly replicas?: number
  readonly alone?: boolean
  readonly merge?: ReplicaOptions['merge']
  readonly apply?: (...args: [...Parameters<ReplicaOptions['apply']>, self: string]) => readonly [unknown, unknown]
  readonly refusesInMinority?: boolean
  readonly initial?: readonly string[]
  /** The share of elections with two winners for a moment. */
  readonly doubleWinners?: number
}

/** The state is the list of keys, in the order of their operations. The result is the place. */
const apply: NonNullable<WorldOptions['apply']> = (state, operation) => {
  const next = [...(state as string[]), operation as string]
  return [next, next.length]
}

export class World extends SeededClock {
  readonly nodes: Node[] = []
  readonly operations: Operation[] = []
  readonly reapplied: Omit<Reapplied, 'name'>[] = []
  readonly notices: string[] = []
  /** Number of delivered messages between replicas. */
  delivered = 0
  /** Called after each delivered message. */
  onDelivered: (from: string, to: string) => void = () => {}
  /** Called for each message that is sent. */
  onSent: (message: OutgoingMessage) => void = () => {}
  readonly #options: WorldOptions
  /** When the last message of each pair arrives: messages stay in order. */
  readonly #links = new Map<string, { last: number; generation: number }>()
  readonly #calls = new Map<number, (answer: Answer) => void>()
  readonly #elections: VirtualElections
  #call = 0

  constructor(options: WorldOptions) {
    super(createRandom(options.seed))
    this.#options = options
    this.#elections = new VirtualElections(this, options.doubleWinners ?? 0)
    for (let at = 0; at < options.members; at++) this.#add(`m${at}`)
  }

  get alive(): readonly Node[] {
    return this.nodes.filter(({ isAlive }) => isAlive)
  }

  get primaries(): readonly Node[] {
    return this.alive.filter(({ replica }) => replica.role === 'primary')
  }

  /** @param died it left of its own accord if not */
  kill(id: string, died = true): void {
    const dead = this.node(id)
    if (!dead.isAlive) return
    dead.isAlive = false
    for (const other of this.alive) if (other.view.has(id)) this.after(this.between(50, 400), () => this.#gone(other, id, died))
    this.#elections.elect(dead.side)
  }

  /** Stops a member, or lets it go on. It is not dead: messages to it wait. */
  stop(id: string, isStopped = true): void {
    this.node(id).isStopped = isStopped
  }

  /** Cuts the network: these members are on another side. */
  cut(ids: readonly string[]): void {
    for (const id of ids) this.node(id).side = 1
    for (const one of this.alive)
      for (const other of this.alive)
        if (one.side !== other.side)
          this.after(this.between(50, 400), () => {
            if (one.side !== other.side) this.#gone(one, other.id)
          })
    this.#elections.cut()
  }

  heal(): void {
    for (const node of this.nodes) node.side = 0
    const greater = this.#elections.heal()
    for (const node of this.alive) {
      for (const { id } of this.alive) this.after(this.between(50, 500), () => this.#see(node, id))
      if (greater !== undefined) this.after(this.between(50, 500), () => this.#elections.tell(node, greater))
    }
    this.#elections.elect(0)
  }

  /** A client calls until it has an answer. `side`: it reaches only members of this side. */
  operate(caller: string, key: string, side = 0, input: unknown = key): Operation {
    const operation: Operation = { key, caller, having: [] }
    this.operations.push(operation)
    const attempt = (): void => {
      if (operation.answer !== undefined) return
      const near = this.alive.filter((node) => node.side === side || node.side === 0)
      const asked = near[this.between(0, near.length)]
      const primary = this.alive.find(({ id, side: where }) => id === asked?.reign?.winner && where === asked.side)
      if (primary === undefined) {
        this.after(50, attempt)
        return
      }
      const call = ++this.#call
      // The answer of a member that dies never comes: the client asks again.
      this.after(600, attempt)
      this.#calls.set(call, (answer) => {
        if (operation.answer !== undefined || 'moved' in answer) return
        operation.answer = answer
        operation.having = [primary.id, ...primary.replica.backups]
      })
      this.after(this.between(1, 10), () => this.feed(primary, { type: 'call', call, caller, key, operation: structuredClone(input) }))
    }
    attempt()
    return operation
  }

  node(id: string): Node {
    return this.nodes.find((each) => each.id === id) as Node
  }

  /** Adds an instance to a running pool. */
  join(): string {
    return this.#add(`m${this.nodes.length}`).id
  }

  feed(node: Node, input: ReplicaInput | { readonly type: 'timer' }): void {
    if (!node.isAlive) return
    for (const effect of node.replica.handle(input, this.now)) {
      if (effect.type === 'timer') this.#wake(node, effect.at)
      else this.#carryOut(node, effect)
    }
  }

  #add(id: string): Node {
    const { replicas = 3, alone = false, refusesInMinority = false, merge } = this.#options
    const options: ReplicaOptions = {
      self: id,
      replicas,
      alone,
      refusesInMinority,
      initial: this.#options.initial ?? [],
      apply: (state, operation, context) => (this.#options.apply ?? apply)(state, operation, context, id),
      merge,
      calendar: 1e12 + this.between(-3_600_000, 3_600_000),
    }
    const node: Node = {
      id,
      replica: new Replica(options),
      isAlive: true,
      isStanding: false,
      isStopped: false,
      side: 0,
      wake: Infinity,
      view: new Set(),
      reign: undefined,
    }
    this.nodes.push(node)
    this.#see(node, id)
    for (const other of this.alive) {
      if (other === node) continue
      this.after(this.between(1, 300), () => this.#see(node, other.id))
      this.after(this.between(1, 300), () => this.#see(other, id))
    }
    this.#elections.greet(node)
    return node
  }

  #wake(node: Node, at: number): void {
    node.wake = at
    if (at === Infinity) return
    this.after(Math.max(0, at - this.now), () => {
      if (node.wake === at) this.feed(node, { type: 'timer' })
    })
  }

  #carryOut(node: Node, effect: ReplicaEffect): void {
    switch (effect.type) {
      case 'send':
        this.onSent(effect.message)
        this.#send(node, effect.to, textOfMessage(effect.message))
        return
      case 'answer': {
        this.#calls.get(effect.call)?.(effect.answer)
        this.#calls.delete(effect.call)
        return
      }
      case 'stand':
        node.isStanding = true
        this.#elections.elect(node.side)
        return
      case 'withdraw':
        node.isStanding = false
        return
      case 'reapplied':
        this.reapplied.push(effect.reapplied)
        return
      case 'notice':
        this.notices.push(effect.code)
        return
    }
  }

  #send(from: Node, to: string, text: string): void {
    const name = `${from.id} ${to}`
    const link = this.#links.get(name) ?? { last: 0, generation: 0 }
    this.#links.set(name, link)
    const { generation } = link
    link.last = Math.max(link.last, this.now + this.between(1, 20))
    const receiver = this.node(to)
    const arrive = (): void => {
      // The sender has forgotten its channel.
      if (link.generation !== generation || !receiver.isAlive || !from.isAlive) return
      if (receiver.side !== from.side || receiver.isStopped) {
        link.last = Math.max(link.last, this.now + 10)
        this.after(10, arrive)
        return
      }
      this.delivered++
      this.feed(receiver, { type: 'message', from: from.id, message: JSON.parse(text) as never })
      this.onDelivered(from.id, to)
    }
    this.after(link.last - this.now, arrive)
  }

  #gone(node: Node, id: string, died = true): void {
    if (!node.isAlive || !node.view.delete(id)) return
    const link = this.#links.get(`${node.id} ${id}`)
    if (link !== undefined) link.generation++
    if (node.reign?.winner === id) node.reign = undefined
    this.feed(node, { type: 'gone', member: id, died })
    this.#elections.elect(node.side)
  }

  #see(node: Node, id: string): void {
    const other = this.node(id)
    if (!node.isAlive || !other.isAlive || node.side !== other.side || node.view.has(id)) return
    node.view.add(id)
    const ids = this.nodes.filter((each) => node.view.has(each.id)).map((each) => each.id)
    this.feed(node, { type: 'instances', ids })
  }
}
