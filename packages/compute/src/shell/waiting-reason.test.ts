import { expect, it } from 'vitest'
import { waitingReason, type WaitingJob } from './waiting-reason.ts'

const job = { owner: 'ada', trusted: false, votes: 1 }
/** A job that waits for no reason but its turn. */
const waiting: WaitingJob = { job, hasBegun: false, computing: 3, accepting: 2, withVotes: 2, isKept: true, earlier: 0 }

it.each<[string, Partial<WaitingJob>, string]>([
  ['its files are on their way', { job: undefined, computing: 0 }, 'its input or program is not here yet'],
  ['nobody computes', { computing: 0, accepting: 0 }, 'no member of the pool computes'],
  ['nobody accepts its owner', { accepting: 0, withVotes: 0 }, 'no member accepts programs of ada; members with workers: 3'],
  [
    'only members that want votes accept its owner',
    { accepting: 0 },
    'the members that would run it take jobs with votes only, as browser tabs do: 2 of 3',
  ],
  [
    'nobody trusts its owner',
    { job: { ...job, trusted: true }, accepting: 0 },
    'the program needs more than a sandbox, and no member trusts ada; members with workers: 3',
  ],
  ['too few members may vote', { job: { ...job, votes: 3 } }, 'each of its tasks must run at 3 members; members that accept it: 2'],
  ['no keeper has answered', { isKept: false, earlier: 4 }, 'no member that keeps it has answered yet'],
  ['all are busy', { earlier: 4 }, 'no member has begun it yet; members that accept it: 2; jobs that came earlier: 4'],
  ['it begins after others', { after: ['prepare', 'load'] }, 'it begins after prepare, load'],
  ['its turn has just come', {}, 'no member has begun it yet; members that accept it: 2'],
])('a job waits if %s, and the reason says so', (_, known, reason) => {
  expect(waitingReason({ ...waiting, ...known })).toBe(reason)
})

it.each<[string, Partial<WaitingJob>, string]>([
  ['has members to run at', { isKept: false, earlier: 4 }, ''],
  ['began before', { after: ['prepare'] }, ''],
  ['is not at this member', { job: undefined, computing: 0 }, ''],
  ['has lost all members that compute', { computing: 0, accepting: 0 }, 'no member of the pool computes'],
  ['has lost all members that accept it', { accepting: 0, withVotes: 0 }, 'no member accepts programs of ada; members with workers: 3'],
  ['has lost a voter', { job: { ...job, votes: 3 } }, 'each of its tasks must run at 3 members; members that accept it: 2'],
])('a begun job that %s has the right reason', (_, known, reason) => {
  expect(waitingReason({ ...waiting, hasBegun: true, ...known })).toBe(reason)
})
