import type { Milliseconds } from '@jel/protocol'
import type { Action } from '../scenario/actions.ts'
import type { Targets } from '../scenario/targets.ts'
import { lives, type Actor } from '../truth/actor.ts'
import { select } from '../truth/selection.ts'
import type { GroundTruth } from '../truth/ground-truth.ts'

/** Carries out the timed actions of a scenario. */
export class ActionRunner {
  readonly #truth: GroundTruth
  /**
   * Grows with each partition and heal, so that the timed end of one partition does not end the
   * next.
   */
  #partitions = 0
  /** Grows with each heal. A heal ends flapping and cuts that began before. */
  #heals = 0

  constructor(truth: GroundTruth) {
    this.#truth = truth
  }

  /** Schedules all actions. */
  start(): void {
    for (const action of this.#truth.scenario.actions) this.#plan(action, action.at)
  }

  #plan(action: Action, at: Milliseconds): void {
    const { testbed, scenario } = this.#truth
    const again = at + (action.every ?? Infinity)
    testbed.after(at - testbed.now, () => {
      this.#carryOut(action)
      if (again <= (action.until ?? scenario.duration)) this.#plan(action, again)
    })
  }

  #carryOut(action: Action): void {
    const { testbed } = this.#truth
    switch (action.type) {
      case 'kill':
        for (const actor of this.#select(action.targets)) this.#truth.crash(actor)
        return
      case 'leave':
        for (const actor of this.#select(action.targets)) this.#truth.leave(actor)
        return
      case 'stop':
        this.#lasting(this.#select(action.targets), action.for, 'stops', (actor, stops) =>
          stops ? testbed.stopProcess(actor.node) : testbed.continueProcess(actor.node),
        )
        return
      case 'continue':
        this.#each(this.#select(action.targets), 'goes on', ({ node }) => testbed.continueProcess(node))
        return
      case 'stall':
        this.#each(this.#select(action.targets), 'stalls', ({ node }) => testbed.stall(node, action.for))
        testbed.after(action.for, () => this.#truth.troubled('nodes go on'))
        return
      case 'sleep':
        this.#lasting(this.#select(action.targets), action.for, 'sleeps', (actor, asleep) => {
          actor.silent = asleep
          testbed.sleep(actor.node, asleep)
        })
        return
      case 'address':
        this.#changeAddress(action)
        return
      case 'silence':
        this.#lasting(this.#select(action.targets), action.for, 'is cut off', (actor, silent) => this.#truth.silence(actor, silent))
        return
      case 'restore':
        this.#each(this.#select(action.targets), 'is restored', (actor) => {
          this.#truth.silence(actor, false)
          this.#lose(actor, 0)
        })
        return
      case 'partition':
        this.#partition(action.sides, action.for)
        return
      case 'heal':
        this.#heal()
        return
      case 'cut':
        this.#cut(action)
        return
      case 'flap':
        this.#flap(this.#select(action.targets), action.period, testbed.now + action.for)
        return
      case 'loss':
        this.#lasting(this.#select(action.targets), action.for, 'loses packets', (actor, loses) =>
          this.#lose(actor, loses ? action.loss : 0),
        )
        return
      case 'elect':
        for (const actor of this.#select(action.targets)) this.#truth.elect(actor, action.election)
        return
      case 'withdraw':
        for (const actor of this.#select(action.targets)) this.#truth.withdraw(actor, action.election)
        return
      case 'maybeDead':
        for (const by of this.#select(action.by)) {
          for (const { node } of this.#select(action.targets)) by.node.command({ type: 'maybeDead', id: node.id })
        }
        return
      case 'hostile':
        this.#attack(action)
        return
      case 'join':
        for (let i = 0, { count } = action; i < count; i++) {
          testbed.after((action.over * i) / count, () => this.#truth.bringIn(action.site))
        }
    }
  }

  #select(targets: Targets): Actor[] {
    return select(this.#truth.actors, targets, this.#truth.random)
  }

  #each(actors: readonly Actor[], what: string, act: (actor: Actor) => void): void {
    for (const actor of actors) {
      act(actor)
      this.#truth.troubled(`node ${actor.number} ${what}`)
    }
  }

  /** Applies an effect to nodes, and ends the effect after a time. */
  #lasting(actors: readonly Actor[], forMs: Milliseconds | undefined, what: string, act: (actor: Actor, on: boolean) => void): void {
    this.#each(actors, what, (actor) => act(actor, true))
    if (forMs === undefined) return
    this.#truth.testbed.after(forMs, () => this.#each(actors.filter(lives), `no longer ${what}`, (actor) => act(actor, false)))
  }

  #attack({ attack, count, from, to, against }: Extract<Action, { type: 'hostile' }>): void {
    const { now } = this.#truth.testbed
    const all = Object.keys(against).length === 0
    const options = {
      from: Math.max(0, from - now),
      until: to - now,
      victims: all ? [] : this.#select(against).map(({ node }) => node.id),
    }
    for (let i = 0; i < count; i++) this.#truth.bringInHostile(attack, options)
  }

  #changeAddress({ targets, change, for: forMs }: Extract<Action, { type: 'address' }>): void {
    const { testbed } = this.#truth
    this.#each(this.#select(targets), change === 'add' ? 'has one more address' : 'has another address', (actor) => {
      actor.moved = true
      const undo = testbed.changeAddress(actor.node, change)
      if (change === 'replace' || forMs === undefined) return
      testbed.after(forMs, () => {
        if (lives(actor)) this.#each([actor], 'has an address less', undo)
      })
    })
  }

  #lose(actor: Actor, loss: number): void {
    actor.lossy = loss > 0
    this.#truth.testbed.impair(actor.node, { loss })
  }

  #partition(sides: readonly Targets[], forMs: Milliseconds | undefined): void {
    const partition = ++this.#partitions
    const chosen = new Set<Actor>()
    const groups = sides.map((targets) => {
      const group = this.#select(targets).filter((actor) => !chosen.has(actor))
      for (const actor of group) chosen.add(actor)
      return group
    })
    const rest = this.#truth.actors.filter((actor) => !chosen.has(actor))
    const all = rest.some(lives) ? [rest, ...groups] : groups
    this.#split(all)
    this.#truth.troubled(`partition into ${all.length}`)
    if (forMs === undefined) return
    this.#truth.testbed.after(forMs, () => {
      if (partition !== this.#partitions) return
      this.#split([this.#truth.actors])
      this.#truth.troubled('the partition ends')
    })
  }

  /** Splits the pool. Nodes that start later are on the first side. */
  #split(groups: readonly (readonly Actor[])[]): void {
    for (const [side, group] of groups.entries()) for (const actor of group) actor.side = side
    this.#truth.testbed.partition(...groups.map((group) => group.map(({ node }) => node)))
  }

  #heal(): void {
    this.#partitions += 1
    this.#heals += 1
    for (const actor of this.#truth.actors) actor.side = 0
    this.#truth.cuts = 0
    this.#truth.testbed.heal()
    this.#truth.troubled('all is healed')
  }

  #cut({ from, to, ways, how, for: forMs }: Extract<Action, { type: 'cut' }>): void {
    const { testbed } = this.#truth
    const ends = this.#select(to)
    const forth = this.#select(from).flatMap((a) => ends.filter((b) => b !== a).map((b) => [a.node, b.node] as const))
    const pairs = ways === 'one' ? forth : forth.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])
    const heals = this.#heals
    this.#truth.cuts += pairs.length
    for (const [a, b] of pairs) testbed.cut(a, b, how)
    this.#truth.troubled(`${pairs.length} ways are cut`)
    if (forMs === undefined) return
    testbed.after(forMs, () => {
      if (heals !== this.#heals) return
      this.#truth.cuts -= pairs.length
      for (const [a, b] of pairs) testbed.mend(a, b, how)
      this.#truth.troubled(`${pairs.length} ways are mended`)
    })
  }

  #flap(actors: readonly Actor[], period: Milliseconds, end: Milliseconds): void {
    const { testbed } = this.#truth
    const heals = this.#heals
    const turn = (down: boolean): void => {
      const over = testbed.now >= end || heals !== this.#heals
      this.#each(actors.filter(lives), down && !over ? 'loses its link' : 'has its link again', (actor) =>
        this.#truth.silence(actor, down && !over),
      )
      if (!over) testbed.after(Math.min(period, end - testbed.now), () => turn(!down))
    }
    turn(true)
  }
}
