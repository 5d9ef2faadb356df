/** The trial: one after the other joins, leaves and is killed, in a pool that has settled. The same for all kinds of swarm. */
import { combine, nothing, type Tally } from '../swarm/tally.ts'
import type { Swarm } from './swarm.ts'

export interface TrialPlan {
  readonly nodes: number
  /** Joins and leaves one after the other, and kills. */
  readonly rounds: number
  readonly kills: number
  /** Between the starts of the first nodes, ms. */
  readonly stagger: number
  /** Until a pool has built its links, and after each event, ms. */
  readonly settle: number
  readonly pause: number
  /** For how long the pool is watched doing nothing, ms. */
  readonly idle: number
}

export interface Trial {
  /** From a node's entry until each other node was told of it, ms. */
  readonly join: number[]
  /** From the call of a node to start until the last other node was told, ms. */
  readonly joinFromCall: number[]
  /** From the call to leave, and from the kill, until each node was told, ms. */
  readonly leave: number[]
  readonly crash: number[]
  /** News that somebody was not told of, of all that everybody should have been told. */
  readonly untold: number
  /** While the pool came up; in each join and leave, on average; a second of idling; and in each crash. Of the whole pool. */
  readonly forming: Tally
  readonly comeAndGo: Tally
  readonly idleSecond: Tally
  readonly oneCrash: Tally
}

export async function runTrial(swarm: Swarm, plan: TrialPlan): Promise<Trial> {
  const join: number[] = []
  const joinFromCall: number[] = []
  const leave: number[] = []
  const crash: number[] = []
  let untold = 0
  const mortals: string[] = []
  const told = async (
    into: number[],
    type: 'joined' | 'left' | 'died',
    subject: string,
    since: number,
    observers: number,
  ): Promise<number> => {
    const times = await swarm.sightings(type, subject)
    into.push(...times.map((time) => time - since))
    untold += observers - times.length
    return Math.max(...times)
  }
  const empty = await swarm.tally()
  for (let i = 0; i < plan.nodes; i++) {
    // The mortal ones come last: nobody else entered through them.
    const mortal = i >= plan.nodes - plan.kills
    const { id } = await swarm.start(mortal)
    if (mortal) mortals.push(id)
    await swarm.rest(plan.stagger)
  }
  await swarm.rest(plan.settle)
  const formed = await swarm.tally()
  for (let round = 0; round < plan.rounds; round++) {
    const { id, called, entered } = await swarm.start(false)
    await swarm.rest(plan.pause)
    const last = await told(join, 'joined', id, entered, plan.nodes)
    joinFromCall.push(last - called)
    const left = await swarm.leave(id)
    await swarm.rest(plan.pause)
    await told(leave, 'left', id, left, plan.nodes)
  }
  const wentRound = await swarm.tally()
  await swarm.rest(plan.settle)
  const calm = await swarm.tally()
  await swarm.rest(plan.idle)
  const idled = await swarm.tally()
  for (const [i, id] of mortals.entries()) {
    const killed = await swarm.kill(id)
    await swarm.rest(plan.pause)
    await told(crash, 'died', id, killed, plan.nodes - 1 - i)
  }
  const bereaved = await swarm.tally()
  return {
    join,
    joinFromCall,
    leave,
    crash,
    untold,
    forming: share(empty, formed, 1),
    comeAndGo: share(formed, wentRound, plan.rounds),
    idleSecond: share(calm, idled, plan.idle / 1_000),
    oneCrash: share(idled, bereaved, plan.kills),
  }
}

function share(before: Tally, after: Tally, parts: number): Tally {
  return combine(nothing, combine(after, before, -1), 1 / parts)
}
