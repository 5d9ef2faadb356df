/** Makes all nodes candidates, then kills the winner again and again. */
import type { Reign } from '../swarm/process-node.ts'
import type { ProcessSwarm } from '../swarm/process-swarm.ts'
import { TIMEOUT, type Add, type Plan } from './plan.ts'

const ELECTION = 'master'

export async function benchElections(swarm: ProcessSwarm, plan: Plan, add: Add): Promise<void> {
  if (!plan.phases.has('winner')) return
  const asked = Date.now()
  for (const node of swarm.running) node.command({ command: 'elect', election: ELECTION })
  let result = await elected(swarm, 1)
  add('first election: asked until all name one winner', 'ms', (result?.time ?? Infinity) - asked)
  for (let turn = 0; turn < plan.repeats; turn++) {
    await swarm.pass(plan.settle)
    if (result === undefined) return
    const { winner } = result
    const node = swarm.node(winner)
    await node?.kill()
    const killed = node?.endedAt ?? Number.NaN
    const detected = await swarm.knownByAll('died', [winner], TIMEOUT.death)
    result = await elected(swarm, turn + 2)
    const agreed = result?.time ?? Infinity
    add('winner killed: until all name the next', 'ms', agreed - killed)
    add('winner killed: from its death known by all', 'ms', agreed - detected, 500)
  }
}

/**
 * Waits until all nodes name the same winner, in this epoch or a later epoch. Returns the reign;
 * undefined if that does not happen in time.
 */
async function elected(swarm: ProcessSwarm, epoch: number): Promise<Reign | undefined> {
  await swarm.until(() => (swarm.winner(ELECTION)?.epoch ?? 0) >= epoch, TIMEOUT.death, 10)
  const reign = swarm.winner(ELECTION)
  return (reign?.epoch ?? 0) >= epoch ? reign : undefined
}
