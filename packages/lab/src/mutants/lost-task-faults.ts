import type { ShellFault } from './shell-faults.ts'

const core = 'packages/compute/src/core'

/** Faults in what members do for tasks whose holders are gone, have left, or are back. */
export const lostTaskFaults: readonly ShellFault[] = [
  {
    file: `${core}/supervision.ts`,
    test: `${core}/scheduler.test.ts`,
    name: 'a member does not ask what a dead member ended for tasks that run here',
    from: 'if (isOwnPart(node)) ',
    to: 'if (node.wanted && isOwnPart(node)) ',
  },
  {
    file: `${core}/supervision.ts`,
    test: `${core}/scheduler.test.ts`,
    name: 'a false claim of a member that leaves brings the outcomes of a task that another member has',
    from: 'if (each.claims !== undefined || each.holder !== undefined) return false',
    to: '',
  },
  {
    file: `${core}/supervision.ts`,
    test: `${core}/scheduler.test.ts`,
    name: 'each member that passed a lost task on begins it again',
    from: 'if (node.wanted || node.path === ROOT) ',
    to: 'if (node.path !== ROOT || node.wanted) ',
  },
  {
    file: `${core}/supervision.ts`,
    test: `${core}/scheduler.test.ts`,
    name: 'a member waits for a member that waits for it',
    from: ' || node.waiters?.has(holder) === true',
    to: '',
  },
  {
    file: `${core}/supervision.ts`,
    test: `${core}/scheduler.test.ts`,
    name: 'a member asks for the parts of a dropped task before their holders report them',
    from: 'if (job.votesNeeded === 1) this.#lookups.changed()',
    to: '',
  },
  {
    file: `${core}/lookup-requests.ts`,
    test: `${core}/partition-merge.test.ts`,
    name: 'a member does not ask the former holder of a task that is back',
    from: ', ...nodes.flatMap(({ frame }) => frame?.formerHolder ?? [])',
    to: '',
  },
  {
    file: `${core}/partition-merge.ts`,
    test: `${core}/partition-merge.test.ts`,
    name: 'a member does not look up tasks after a partition whose holders were gone',
    from: ' || frame.formerHolder !== undefined',
    to: '',
  },
  {
    file: `${core}/partition-merge.ts`,
    test: `${core}/partition-merge.test.ts`,
    name: 'a member that is back does not report its claims again',
    from: 'this.#reports.claimAgain()',
    to: '',
  },
  {
    file: `${core}/root-failover.ts`,
    test: `${core}/partition-merge.test.ts`,
    name: 'a job that another part of the pool may have begun counts as new',
    from: ' && now - members.returnedAt >= FRESH',
    to: '',
  },
  {
    file: `${core}/membership.ts`,
    test: `${core}/partition-merge.test.ts`,
    name: 'a member does not note the return of another member',
    from: 'if (members.knew(member.id)) members.returnedAt = this.#context.now',
    to: '',
  },
  {
    file: `${core}/lookup-requests.ts`,
    test: `${core}/bounds.test.ts`,
    name: 'a replica that sends page after page delays a task for hours',
    from: 'Math.min(lookup.end, Math.max(lookup.deadline, now + config.requestTimeout))',
    to: 'Math.max(lookup.deadline, now + config.requestTimeout)',
  },
  {
    file: `${core}/freshness.ts`,
    test: `${core}/freshness.test.ts`,
    name: 'a young job is new to a member that joined after its submission',
    from: 'joinedAt <= submitted && ',
    to: '',
  },
  {
    file: 'packages/compute/src/shell/published-jobs.ts',
    test: 'packages/compute/src/shell/job-record.test.ts',
    name: 'a member forgets when it joined',
    from: 'this.#pool.self.joinedAt)',
    to: '0)',
  },
  {
    file: 'packages/simulator/src/jobs/compute-node.ts',
    test: 'packages/simulator/src/jobs/newcomers.test.ts',
    name: 'a simulated member forgets when it joined',
    from: 'this.#self?.joinedAt ?? Infinity',
    to: '0',
  },
]
