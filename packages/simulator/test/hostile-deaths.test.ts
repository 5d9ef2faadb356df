import type { Member } from '@jel/protocol'
import { expect, it } from 'vitest'
import { alarm, deathOf, freshFacts, type Accusation } from '../src/hostile/words.ts'
import { uniformDelay, type JelNode, type Simulation } from '../src/index.ts'
import { Accomplice } from './hostile.ts'
import { seeds } from './seeds.ts'
import { simulatePool, type PoolNode } from './simulated-swarm.ts'

/** The most accusers that any death needs (`mostAccusers` of the protocol). */
const quorum = 4

/**
 * Honest members, and accomplices among them. A false death of one of the honest members ends the
 * test.
 */
class Pool {
  readonly simulation: Simulation<JelNode>
  readonly honest: PoolNode[] = []

  constructor(seed: number, size: number) {
    this.simulation = simulatePool({ seed, network: { delay: uniformDelay(1, 20) } })
    this.grow(size)
  }

  /** Adds this many honest members. */
  grow(by: number): void {
    for (let i = 0; i < by; i++) {
      this.honest.push(this.simulation.spawn({ introducers: this.honest.slice(0, 1) }))
      if (this.honest.length === 1) this.simulation.run(100)
    }
  }

  /** Waits until all members know each other, with this many accomplices. */
  settle(accomplices: number): void {
    const size = this.honest.length + accomplices
    const isWhole = (): boolean => this.honest.every(({ protocol }) => protocol.members().length === size)
    this.simulation.runUntil(isWhole, 60_000, 'a pool')
    this.simulation.run(30_000)
  }

  /** Whether all honest members are still in their first life. */
  get areFirstLives(): boolean {
    return this.honest.every(({ protocol }) => protocol.self?.incarnation === 1)
  }
}

const self = ({ protocol }: PoolNode): Member => protocol.self as Member

it.each(seeds('1-2'))('nobody believes a death with one accuser, however often it is reported, seed %i', (seed) => {
  const pool = new Pool(seed, 24)
  const liar = new Accomplice(pool.simulation, pool.honest.slice(0, 1))
  pool.settle(1)
  for (let turn = 0; turn < 20; turn++) {
    liar.says(freshFacts(pool.honest.map((node) => deathOf([liar.suspects(self(node), turn)]))))
    pool.simulation.run(2_000)
  }
  expect(pool.areFirstLives).toBe(true)
})

it.each(seeds('1-3'))('suspicions of three accusers that crashed minutes apart, before a retraction, are no death, seed %i', (seed) => {
  const pool = new Pool(seed, 1)
  const { simulation } = pool
  const victim = pool.honest[0] as PoolNode
  const witness = new Accomplice(simulation, [victim], victim.id)
  const kept: Accusation[] = []
  for (let i = 0; i < 3; i++) {
    // The new member is cut off from the victim and accuses it, because the witness claims to miss
    // the victim, too. The accuser crashes before it reaches the victim again.
    pool.grow(1)
    pool.settle(1)
    const accuser = pool.honest.pop() as PoolNode
    simulation.cut(accuser, victim)
    simulation.cut(victim, accuser)
    const find = (): Accusation | undefined => witness.accusations.findLast(({ signer }) => signer === accuser.id)
    simulation.runUntil(() => find() !== undefined, 60_000, 'a suspicion')
    kept.push(find() as Accusation)
    simulation.kill(accuser)
    simulation.heal()
    simulation.run(120_000)
  }
  const heartbeats = kept.map(({ content }) => content.heartbeat)
  expect(Math.max(...heartbeats) - Math.min(...heartbeats)).toBeGreaterThan(120)
  pool.grow(11)
  pool.settle(1)
  const own = witness.suspects(self(victim), heartbeats[1] as number)
  witness.says(freshFacts([deathOf([...kept, own])]))
  simulation.run(30_000)
  expect(pool.areFirstLives).toBe(true)
})

it.each(seeds('1-2'))('a refutation soon reaches all members, even just after another one of the same member, seed %i', (seed) => {
  const pool = new Pool(seed, 24)
  const { simulation } = pool
  const liar = new Accomplice(simulation, pool.honest.slice(0, 1))
  pool.settle(1)
  const victims = pool.honest.filter(({ protocol }) => protocol.links.has(liar.node.id)).slice(0, 8)
  expect(victims).toHaveLength(8)
  const factsOf = ({ protocol }: PoolNode): string => JSON.stringify(protocol.fingerprint)
  for (const victim of victims) {
    const life = (): number => simulation.now - victim.startedAt
    // The victim ignores an accusation about a time that it has not reached yet.
    const accuse = (): void => liar.says(alarm([liar.suspects(self(victim), Math.floor(life() / 1_000))]), [victim.id])
    simulation.run(1_700 - (life() % 1_000))
    const before = factsOf(victim)
    accuse()
    // The next second of the victim begins. A second after the first refutation it publishes the
    // second one, and has nothing else to do.
    simulation.run(500)
    const refutedOnce = factsOf(victim)
    accuse()
    simulation.run(1_500)
    expect(new Set(pool.honest.map(factsOf)).size).toBe(1)
    // All members would also agree if the victim had published nothing, or only the first
    // refutation.
    expect(new Set([before, refutedOnce, factsOf(victim)]).size).toBe(3)
    simulation.run(60_000)
  }
})

it.each(seeds('1-3'))('a member that learns only of its last accuser has time to refute all of them, seed %i', (seed) => {
  const pool = new Pool(seed, 30)
  const { simulation } = pool
  const accusers = Array.from({ length: quorum }, () => new Accomplice(simulation, pool.honest.slice(0, 1)))
  pool.settle(accusers.length)
  const victim = pool.honest[7] as PoolNode
  const publish = (some: readonly Accomplice[]): void => {
    for (const accuser of some)
      accuser.publishes(accuser.suspects(self(victim), Math.floor((simulation.now - victim.startedAt) / 1_000) - 2))
  }
  simulation.silence(victim)
  publish(accusers.slice(1))
  // The victim can't refute the first accusations, and the time for refuting them is over.
  simulation.run(800)
  simulation.silence(victim, false)
  publish(accusers.slice(0, 1))
  simulation.run(20_000)
  expect(pool.areFirstLives).toBe(true)
  expect(pool.honest.every(({ protocol }) => protocol.members().length === pool.honest.length + accusers.length)).toBe(true)
})

it.each(seeds('1-3'))('a member that is cut off is not pronounced dead while a helper has its proof of life, seed %i', (seed) => {
  const pool = new Pool(seed, 30)
  const { simulation } = pool
  const accusers = Array.from({ length: quorum }, () => new Accomplice(simulation, pool.honest.slice(0, 1)))
  pool.settle(accusers.length)
  const asker = accusers[0] as Accomplice
  const isLinked = (node: PoolNode, other: PoolNode): boolean => node.protocol.links.has(other.id)
  const victim = pool.honest.findLast((node) => !isLinked(node, asker.node)) as PoolNode
  const helper = pool.honest.find((node) => isLinked(node, asker.node) && isLinked(node, victim)) as PoolNode
  // The victim sends the helper a signed proof of life. Only the helper and the asker learn of it.
  asker.says({ pingReq: { subjects: [victim.id] } }, [helper.id])
  simulation.run(500)
  simulation.silence(victim)
  const heartbeat = Math.floor((simulation.now - victim.startedAt) / 1_000) - 2
  for (const accuser of accusers) accuser.publishes(accuser.suspects(self(victim), heartbeat))
  simulation.run(2_500)
  simulation.silence(victim, false)
  simulation.run(20_000)
  expect(pool.areFirstLives).toBe(true)
})
