import type { Milliseconds, NodeId } from '@jel/protocol'
import { Account, name } from './account.ts'
import { AcceptanceError, check } from './failure.ts'
import type { Swarm, SwarmNode, SwarmReign, SwarmSpawnOptions } from './swarm.ts'

/** A JavaScript promise together with its state. The suite can read the state at any time. */
export interface Outcome<T> {
  readonly promise: Promise<T>
  state: 'waiting' | 'kept' | 'broken'
  error?: unknown
}

/** The nodes under test in one test case (the swarm), with the operations that cases share. */
export class World {
  /** Number of nodes that `pool` starts by default. */
  readonly size: number
  readonly #swarm: Swarm
  readonly #scale: number
  readonly #watchShare: number
  readonly #accounts = new Map<SwarmNode, Account>()

  constructor(swarm: Swarm, size: number, scale: number, watchShare: number) {
    this.#swarm = swarm
    this.size = size
    this.#scale = scale
    this.#watchShare = watchShare
  }

  async spawn(options: SwarmSpawnOptions = {}): Promise<SwarmNode> {
    const node = await this.#swarm.spawn(options)
    this.#accounts.set(node, new Account(node))
    return node
  }

  /**
   * Starts a founder. Then starts all others at once, with only the founder's address. Resolves
   * when each node sees all other nodes.
   */
  async pool(
    size = this.size,
    options: Pick<SwarmSpawnOptions, 'computes'> = {},
  ): Promise<[first: SwarmNode, second: SwarmNode, ...others: SwarmNode[]]> {
    const first = await this.spawn(options)
    const others = await Promise.all(Array.from({ length: size - 1 }, async () => await this.spawn({ ...options, introducers: [first] })))
    const nodes = [first, ...others]
    await this.allSee(3_000, nodes)
    const [, second] = nodes
    check(second !== undefined, () => 'the pool has fewer than two nodes')
    return [first, second, ...others.slice(1)]
  }

  /**
   * Lets time pass until the condition holds. Throws after `limit` ms, times the scale. `what` is
   * for the error.
   */
  async within(limit: Milliseconds, what: string, condition: () => boolean): Promise<Milliseconds> {
    try {
      return await this.#swarm.within(limit * this.#scale, condition)
    } catch (error) {
      if (error instanceof AcceptanceError) throw error
      throw new AcceptanceError(`not within ${limit * this.#scale} ms: ${what}`, { cause: error })
    }
  }

  /** Waits until the promise is settled. Returns its value, or throws its reason. */
  async kept<T>(limit: Milliseconds, what: string, promise: Promise<T>): Promise<T> {
    const outcome = this.outcome(promise)
    await this.within(limit, what, () => outcome.state !== 'waiting')
    return await promise
  }

  outcome<T>(promise: Promise<T>): Outcome<T> {
    const outcome: Outcome<T> = { promise, state: 'waiting' }
    promise.then(
      () => (outcome.state = 'kept'),
      (error: unknown) => {
        outcome.state = 'broken'
        outcome.error = error
      },
    )
    return outcome
  }

  /** Lets this time pass, ms. */
  async pass(time: Milliseconds): Promise<void> {
    await this.#swarm.pass(time)
  }

  /** Lets time pass, so that a forbidden event can occur. `watchShare` shortens the time. */
  async watch(time: Milliseconds): Promise<void> {
    await this.#swarm.pass(time * this.#watchShare)
  }

  async partition(...groups: readonly (readonly SwarmNode[])[]): Promise<void> {
    await this.#swarm.partition(groups)
  }

  async heal(): Promise<void> {
    await this.#swarm.heal()
  }

  async introduce(node: SwarmNode, other: SwarmNode): Promise<void> {
    await this.#swarm.introduce(node, other)
  }

  account(node: SwarmNode): Account {
    const account = this.#accounts.get(node)
    check(account !== undefined, () => `${name(node.id)} is no node of this swarm`)
    return account.read()
  }

  /** Whether exactly these nodes are present, according to the events of the node. */
  sees(node: SwarmNode, others: readonly SwarmNode[]): boolean {
    const { present } = this.account(node)
    return present.size === others.length && others.every(({ id }) => present.has(id))
  }

  /**
   * Waits until these nodes see each other and nobody else, according to their events. The
   * incarnations must be the same at all nodes. Then checks that the view of each node agrees with
   * its events.
   */
  async allSee(limit: Milliseconds, nodes: readonly SwarmNode[]): Promise<Milliseconds> {
    const time = await this.within(limit, `${nodes.length} nodes see each other and nobody else`, () => this.#agree(nodes)).catch(
      (error: unknown) => {
        throw error instanceof AcceptanceError ? new AcceptanceError(`${error.message}${this.#gaps(nodes)}`, { cause: error }) : error
      },
    )
    await this.#ask(nodes)
    return time
  }

  #agree(nodes: readonly SwarmNode[]): boolean {
    const [first, ...others] = nodes
    if (first === undefined || !nodes.every((node) => this.sees(node, nodes))) return false
    const lives = this.account(first).present
    return others.every((node) => [...this.account(node).present].every(([id, incarnation]) => lives.get(id) === incarnation))
  }

  /** Checks that the view of each of these nodes agrees with its events. */
  async #ask(nodes: readonly SwarmNode[]): Promise<void> {
    const views = await this.kept(3_000, 'the nodes return their views', Promise.all(nodes.map(async (node) => await node.members())))
    for (const [i, view] of views.entries()) {
      const node = nodes[i] as SwarmNode
      const { present } = this.account(node)
      const same = view.length === present.size && view.every(({ id, incarnation }) => present.get(id) === incarnation)
      check(
        same,
        () =>
          `the view of ${name(node.id)} (${view.length} members) differs from its events (${present.size} members) in members or incarnations`,
      )
    }
  }

  /** Lists the missing and the surplus members of each node, for an error message. */
  #gaps(nodes: readonly SwarmNode[]): string {
    const gaps = nodes.flatMap((node) => {
      const { present } = this.account(node)
      const lacks = nodes.filter(({ id }) => !present.has(id)).map(({ id }) => name(id))
      const extra = [...present.keys()].filter((id) => !nodes.some((other) => other.id === id)).map(name)
      if (lacks.length + extra.length === 0) return []
      return [`${name(node.id)} lacks [${lacks.join(' ')}] and has [${extra.join(' ')}] too many`]
    })
    return gaps.length === 0 ? '' : `: ${gaps.slice(0, 5).join('; ')}${gaps.length > 5 ? `; ${gaps.length - 5} more` : ''}`
  }

  /**
   * Waits until each node in `told` has reported that each node in `gone` left or died. Then checks
   * that each node in `gone` ended once, in the way `how`, and that no other node ended.
   */
  async allHear(limit: Milliseconds, how: 'left' | 'died', gone: readonly SwarmNode[], told: readonly SwarmNode[]): Promise<Milliseconds> {
    const lacks = (node: SwarmNode): SwarmNode[] => gone.filter(({ id }) => this.account(node).endsOf(id).length === 0)
    const isKnown = (): boolean => told.every((node) => lacks(node).length === 0)
    const time = await this.within(limit, `${told.length} nodes are told that ${gone.length} ${how}`, isKnown).catch((error: unknown) => {
      const stories = told.flatMap((node) => lacks(node).map(({ id }) => this.account(node).story(id)))
      throw new AcceptanceError(`${String(error)}; ${stories.join('; ')}`, { cause: error })
    })
    for (const node of told) {
      for (const { id } of gone)
        check(
          this.account(node).endsOf(id).join() === how,
          () => `${name(node.id)} was told that ${name(id)} ${this.account(node).endsOf(id).join()}, not ${how}`,
        )
    }
    this.nobodyElseEnded(gone, told)
    return time
  }

  /**
   * Checks that each node in `told` reported one end of the node `again`, and then its next life.
   */
  cameBack(again: SwarmNode, how: 'left' | 'died', told: readonly SwarmNode[]): void {
    for (const node of told) {
      const account = this.account(node)
      const incarnation = account.present.get(again.id) ?? 0
      // A node reserves its next 64 incarnations on disk in advance. After a kill the next start
      // skips them.
      const isNext = how === 'left' ? incarnation === 2 : incarnation > 1
      check(isNext && account.endsOf(again.id).join() === how, () => `expected one end, ${how}, and a new life; ${account.story(again.id)}`)
    }
  }

  /** Checks that the nodes in `told` reported ends of nodes in `gone` only. */
  nobodyElseEnded(gone: readonly SwarmNode[], told: readonly SwarmNode[]): void {
    const ids = new Set(gone.map(({ id }) => id))
    for (const node of told) {
      const wrong = this.account(node).ended.find(({ member }) => !ids.has(member.id))
      check(wrong === undefined, () => `${name(node.id)} was told that ${name(wrong?.member.id ?? '')} ${wrong?.how}, but that node runs`)
    }
  }

  /**
   * Returns the latest reign if these nodes agree on it. Returns undefined if they differ, or if a
   * node has none.
   */
  agreed(election: string, nodes: readonly SwarmNode[]): SwarmReign | undefined {
    const [first, ...others] = nodes.map((node) => this.account(node).reigns.get(election))
    if (first === undefined) return undefined
    return others.every((reign) => reign !== undefined && sameReign(reign, first)) ? first : undefined
  }

  /** Waits until these nodes agree on a reign that meets the condition. */
  async allAgree(
    limit: Milliseconds,
    election: string,
    nodes: readonly SwarmNode[],
    condition: (reign: SwarmReign) => boolean = () => true,
  ): Promise<SwarmReign> {
    const reign = (): SwarmReign | undefined => this.agreed(election, nodes)
    const told = (): string => [...new Set(nodes.map((node) => describe(this.account(node).reigns.get(election))))].join(', ')
    await this.within(limit, `${nodes.length} nodes name one winner`, () => {
      const agreed = reign()
      return agreed !== undefined && condition(agreed)
    }).catch((error: unknown) => {
      throw new AcceptanceError(`${String(error)}; they name ${told()}`, { cause: error })
    })
    return reign() as SwarmReign
  }

  /**
   * Reads all accounts once more. Throws if the events of a node broke a promise of the protocol.
   */
  finish(): void {
    for (const account of this.#accounts.values()) account.read()
  }
}

export function sameReign(a: SwarmReign, b: SwarmReign): boolean {
  return a.epoch === b.epoch && a.winner.id === b.winner.id && a.winner.incarnation === b.winner.incarnation
}

export function describe(reign: SwarmReign | undefined): string {
  return reign === undefined ? 'nobody' : `${name(reign.winner.id)}#${reign.winner.incarnation} in epoch ${reign.epoch}`
}

/** Sorts by id, lowest first. */
export function byId(nodes: readonly SwarmNode[]): SwarmNode[] {
  return nodes.toSorted((a, b) => compare(a.id, b.id))
}

function compare(a: NodeId, b: NodeId): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
