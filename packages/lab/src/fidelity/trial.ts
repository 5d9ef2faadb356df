/**
 * The trial: in a settled pool, nodes join, leave and crash one after the other. The trial is the
 * same for all kinds of swarm.
 */
import type { MeasuredNode, MeasuredSwarm } from '../swarm/measured-swarm.ts'
import { combine, nothing, type Tally } from '../swarm/tally.ts'

/** Time between the starts of the first nodes, ms. */
const STAGGER = 100

export interface TrialPlan {
  readonly nodes: number
  /** Number of joins and leaves, one after the other, and number of kills. */
  readonly rounds: number
  readonly kills: number
  /** Time until a pool has built its links, and pause after each event, ms. */
  readonly settle: number
  readonly pause: number
  /** Time during which the trial watches the idle pool, ms. */
  readonly idle: number
}

export interface Trial {
  /** Times from a node's entry until each other node received the event, ms. */
  readonly join: number[]
  /** Times from the call to start a node until the last other node received the event, ms. */
  readonly joinFromCall: number[]
  /**
   * Times from the call to leave, and from the kill, until each other node received the event, ms.
   */
  readonly leave: number[]
  readonly crash: number[]
  /** Number of events that a node should have received but did not, over all nodes. */
  readonly untold: number
  /**
   * Traffic and cost of the whole pool: while it formed, in an average join and leave, in a second
   * at rest, and in an average crash.
   */
  readonly forming: Tally
  readonly comeAndGo: Tally
  readonly idleSecond: Tally
  readonly oneCrash: Tally
}

export async function runTrial<Node extends MeasuredNode>(swarm: MeasuredSwarm<Node>, plan: TrialPlan): Promise<Trial> {
  const join: number[] = []
  const joinFromCall: number[] = []
  const leave: number[] = []
  const crash: number[] = []
  let untold = 0
  const victims: Node[] = []
  /** All nodes enter through the first one. */
  const introducers: Node[] = []
  const told = async (
    into: number[],
    type: 'joined' | 'left' | 'died',
    { id }: Node,
    since: number | undefined,
    observers: number,
  ): Promise<number> => {
    const times = await swarm.sightings(type, id)
    into.push(...times.map((time) => time - (since ?? Number.NaN)))
    untold += observers - times.length
    return Math.max(...times)
  }
  const empty = await swarm.tally()
  for (let i = 0; i < plan.nodes; i++) {
    // The killable nodes start last, so that no other node enters through them.
    const killable = i >= plan.nodes - plan.kills
    const node = await swarm.spawn({ introducers, killable })
    if (i === 0) introducers.push(node)
    if (killable) victims.push(node)
    await swarm.pass(STAGGER)
  }
  await swarm.pass(plan.settle)
  const formed = await swarm.tally()
  for (let round = 0; round < plan.rounds; round++) {
    const node = await swarm.spawn({ introducers })
    await swarm.pass(plan.pause)
    const last = await told(join, 'joined', node, node.entered, plan.nodes)
    joinFromCall.push(last - node.called)
    await Promise.all([node.leave(), swarm.pass(plan.pause)])
    await told(leave, 'left', node, node.endedAt, plan.nodes)
  }
  const afterRounds = await swarm.tally()
  await swarm.pass(plan.settle)
  const rested = await swarm.tally()
  await swarm.pass(plan.idle)
  const idled = await swarm.tally()
  for (const [i, node] of victims.entries()) {
    await Promise.all([node.kill(), swarm.pass(plan.pause)])
    await told(crash, 'died', node, node.endedAt, plan.nodes - 1 - i)
  }
  const afterKills = await swarm.tally()
  return {
    join,
    joinFromCall,
    leave,
    crash,
    untold,
    forming: share(empty, formed, 1),
    comeAndGo: share(formed, afterRounds, plan.rounds),
    idleSecond: share(rested, idled, plan.idle / 1_000),
    oneCrash: share(idled, afterKills, plan.kills),
  }
}

function share(before: Tally, after: Tally, parts: number): Tally {
  return combine(nothing, combine(after, before, -1), 1 / parts)
}
