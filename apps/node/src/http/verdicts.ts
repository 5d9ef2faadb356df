import type { Agent } from '../agent/agent.ts'
import { healthEvent, type NodeEvent } from '../events/events.ts'
import { isCutOff, isOutside } from '../events/health.ts'

/** Whether a node is well, or ready, and the event that says so. */
export interface Verdict {
  readonly isWell: boolean
  readonly event: NodeEvent
}

const outside: Verdict = {
  isWell: false,
  event: { event: 'error', code: 'NOT_ENTERED', message: 'this node has not entered the pool yet' },
}

/**
 * A node is well if it reaches others, and more than a minority. A pool of one is well: to restart
 * it would not help.
 */
export function healthOf(agent: Agent | undefined): Verdict {
  if (agent === undefined) return outside
  const health = agent.pool.health()
  return { isWell: !isCutOff(health), event: healthEvent(health) }
}

/**
 * The node is ready while it is in the pool and does not leave. It is not ready if it founded a
 * pool of its own because its introducers do not answer.
 */
export function readinessOf(agent: Agent | undefined): Verdict {
  if (agent === undefined) return outside
  const health = agent.pool.health()
  if (agent.stopping) return { isWell: false, event: { event: 'error', code: 'LEAVING', message: 'this node leaves the pool' } }
  return { isWell: !isOutside(health), event: healthEvent(health) }
}
