import type { Context } from './context.ts'
import type { Job } from './job.ts'
import type { TaskNode } from './task-node.ts'
import { MOST_CRASHES } from './tries.ts'

/**
 * A task is set apart (it fails with `TASK_POISONOUS`) after this many members were lost one after
 * the other while they held it, and nobody completed a part of it meanwhile. In a smaller pool the
 * bound is the number of remaining members, but at least `MOST_LOST_OF_FEW`. Guesses: if a tenth of
 * all holders is lost, one task of 100,000 is set apart by chance.
 */
const MOST_LOST = 5
const MOST_LOST_OF_FEW = 3

/**
 * Returns the reason to set a task apart; undefined: none. If the job is voted on, each member
 * counts only crashes at itself and losses of members that it knew.
 */
export function poisonOf({ self, members }: Context, job: Job, { tries }: TaskNode): string | undefined {
  if (tries === undefined) return undefined
  const { crashes, holders } = tries
  const isVoted = job.votesNeeded > 1
  const counted = isVoted ? crashes.filter((member) => member === self) : crashes
  const at = new Set(counted).size
  if (counted.length >= MOST_CRASHES && (at > 1 || isVoted || members.size === 1))
    return `it has ended ${counted.length} processes at ${at === 1 ? 'this member' : `${at} members`}`
  const lost = holders.filter((member) => !members.has(member) && (!isVoted || members.knew(member))).length
  const most = Math.min(MOST_LOST, Math.max(MOST_LOST_OF_FEW, members.size))
  return lost >= most ? `${lost} members were lost one after the other while they held it` : undefined
}
