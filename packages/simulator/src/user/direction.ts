import type { Milliseconds } from '@jel/protocol'
import type { Action } from '../scenario/actions.ts'
import type { Targets } from '../scenario/targets.ts'
import { lives, type Actor } from './actor.ts'
import { select } from './selection.ts'
import type { Stage } from './stage.ts'

/** Carries out the timed actions of a scenario. */
export class Direction {
  readonly #stage: Stage
  /** Grows with each partition and heal, so that what ends one partition by itself does not end the next. */
  #partitions = 0
  /** Grows with each heal: links stop flapping. */
  #heals = 0

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** Plans all actions. */
  start(): void {
    for (const action of this.#stage.scenario.actions) this.#plan(action, action.at)
  }

  #plan(action: Action, at: Milliseconds): void {
    const { simulation, scenario } = this.#stage
    const again = at + (action.every ?? Infinity)
    simulation.after(at - simulation.now, () => {
      this.#carryOut(action)
      if (again <= (action.until ?? scenario.duration)) this.#plan(action, again)
    })
  }

  #carryOut(action: Action): void {
    const { simulation } = this.#stage
    switch (action.type) {
      case 'kill':
        for (const actor of this.#select(action.targets)) this.#stage.crash(actor)
        return
      case 'leave':
        for (const actor of this.#select(action.targets)) this.#stage.leave(actor)
        return
      case 'stop':
        this.#lasting(this.#select(action.targets), action.for, 'stops', (actor, stops) =>
          stops ? simulation.stopProcess(actor.node) : simulation.continueProcess(actor.node),
        )
        return
      case 'continue':
        this.#each(this.#select(action.targets), 'goes on', ({ node }) => simulation.continueProcess(node))
        return
      case 'stall':
        this.#each(this.#select(action.targets), 'stalls', ({ node }) => simulation.stall(node, action.for))
        simulation.after(action.for, () => this.#stage.troubled('nodes go on'))
        return
      case 'sleep':
        this.#lasting(this.#select(action.targets), action.for, 'sleeps', (actor, asleep) => {
          actor.silent = asleep
          simulation.sleep(actor.node, asleep)
        })
        return
      case 'address':
        this.#changeAddress(action)
        return
      case 'silence':
        this.#lasting(this.#select(action.targets), action.for, 'is cut off', (actor, silent) => this.#stage.silence(actor, silent))
        return
      case 'restore':
        this.#each(this.#select(action.targets), 'is restored', (actor) => {
          this.#stage.silence(actor, false)
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
        this.#flap(this.#select(action.targets), action.period, simulation.now + action.for)
        return
      case 'loss':
        this.#lasting(this.#select(action.targets), action.for, 'loses packets', (actor, loses) =>
          this.#lose(actor, loses ? action.loss : 0),
        )
        return
      case 'elect':
        for (const actor of this.#select(action.targets)) this.#stage.elect(actor, action.election)
        return
      case 'withdraw':
        for (const actor of this.#select(action.targets)) this.#stage.withdraw(actor, action.election)
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
          simulation.after((action.over * i) / count, () => this.#stage.bringIn(action.site))
        }
    }
  }

  #select(targets: Targets): Actor[] {
    return select(this.#stage.actors, targets, this.#stage.random)
  }

  #each(actors: readonly Actor[], what: string, act: (actor: Actor) => void): void {
    for (const actor of actors) {
      act(actor)
      this.#stage.troubled(`node ${actor.number} ${what}`)
    }
  }

  /** Does something to nodes and undoes it after a time. */
  #lasting(actors: readonly Actor[], forMs: Milliseconds | undefined, what: string, act: (actor: Actor, on: boolean) => void): void {
    this.#each(actors, what, (actor) => act(actor, true))
    if (forMs === undefined) return
    this.#stage.simulation.after(forMs, () => this.#each(actors.filter(lives), `no longer ${what}`, (actor) => act(actor, false)))
  }

  #attack({ attack, count, from, to, against }: Extract<Action, { type: 'hostile' }>): void {
    const { now } = this.#stage.simulation
    const all = Object.keys(against).length === 0
    const options = {
      from: Math.max(0, from - now),
      until: to - now,
      victims: all ? [] : this.#select(against).map(({ node }) => node.id),
    }
    for (let i = 0; i < count; i++) this.#stage.bringInHostile(attack, options)
  }

  #changeAddress({ targets, change, for: forMs }: Extract<Action, { type: 'address' }>): void {
    const { simulation } = this.#stage
    this.#each(this.#select(targets), change === 'add' ? 'has one more address' : 'has another address', (actor) => {
      actor.moved = true
      const undo = simulation.changeAddress(actor.node, change)
      if (change === 'replace' || forMs === undefined) return
      simulation.after(forMs, () => {
        if (lives(actor)) this.#each([actor], 'has an address less', undo)
      })
    })
  }

  #lose(actor: Actor, loss: number): void {
    actor.lossy = loss > 0
    this.#stage.simulation.impair(actor.node, { loss })
  }

  #partition(sides: readonly Targets[], forMs: Milliseconds | undefined): void {
    const partition = ++this.#partitions
    const chosen = new Set<Actor>()
    const groups = sides.map((targets) => {
      const group = this.#select(targets).filter((actor) => !chosen.has(actor))
      for (const actor of group) chosen.add(actor)
      return group
    })
    const rest = this.#stage.actors.filter((actor) => !chosen.has(actor))
    const all = rest.some(lives) ? [rest, ...groups] : groups
    this.#split(all)
    this.#stage.troubled(`partition into ${all.length}`)
    if (forMs === undefined) return
    this.#stage.simulation.after(forMs, () => {
      if (partition !== this.#partitions) return
      this.#split([this.#stage.actors])
      this.#stage.troubled('the partition ends')
    })
  }

  /** Nodes that start later are on the first side. */
  #split(groups: readonly (readonly Actor[])[]): void {
    for (const [side, group] of groups.entries()) for (const actor of group) actor.side = side
    this.#stage.simulation.partition(...groups.map((group) => group.map(({ node }) => node)))
  }

  #heal(): void {
    this.#partitions += 1
    this.#heals += 1
    for (const actor of this.#stage.actors) actor.side = 0
    this.#stage.cuts = 0
    this.#stage.simulation.heal()
    this.#stage.troubled('all is healed')
  }

  #cut({ from, to, ways, how, for: forMs }: Extract<Action, { type: 'cut' }>): void {
    const { simulation } = this.#stage
    const ends = this.#select(to)
    const forth = this.#select(from).flatMap((a) => ends.filter((b) => b !== a).map((b) => [a.node, b.node] as const))
    const pairs = ways === 'one' ? forth : forth.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])
    const heals = this.#heals
    this.#stage.cuts += pairs.length
    for (const [a, b] of pairs) simulation.cut(a, b, how)
    this.#stage.troubled(`${pairs.length} ways are cut`)
    if (forMs === undefined) return
    simulation.after(forMs, () => {
      if (heals !== this.#heals) return
      this.#stage.cuts -= pairs.length
      for (const [a, b] of pairs) simulation.mend(a, b, how)
      this.#stage.troubled(`${pairs.length} ways are mended`)
    })
  }

  #flap(actors: readonly Actor[], period: Milliseconds, end: Milliseconds): void {
    const { simulation } = this.#stage
    const heals = this.#heals
    const turn = (down: boolean): void => {
      const over = simulation.now >= end || heals !== this.#heals
      this.#each(actors.filter(lives), down && !over ? 'loses its link' : 'has its link again', (actor) =>
        this.#stage.silence(actor, down && !over),
      )
      if (!over) simulation.after(Math.min(period, end - simulation.now), () => turn(!down))
    }
    turn(true)
  }
}
