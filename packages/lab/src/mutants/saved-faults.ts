import type { ShellFault } from './shell-faults.ts'

const core = 'packages/compute/src/core'
const saves = { file: `${core}/saves.ts`, test: `${core}/saves.test.ts` }
const frameSaves = { file: 'packages/compute/src/program/frame-saves.ts', test: 'packages/compute/src/program/frame-saves.test.ts' }
const queue = { file: `${core}/job-queue.ts`, test: `${core}/job-queue.test.ts` }
const shares = { file: `${core}/shares.ts`, test: `${core}/shares.test.ts` }

/** Faults of saved states and of shares. One test file must find each. */
export const savedFaults: readonly ShellFault[] = [
  {
    ...saves,
    name: 'any member may state what a task saved',
    from: 'if (claim !== undefined) this.#take(from, job, each, !claim.second, ',
    to: 'this.#take(from, job, each, claim?.second !== true, ',
  },
  {
    ...saves,
    name: 'saved states travel where members vote',
    from: 'if (job.ended !== undefined || job.votesNeeded > 1 || job.tree.entryFor(path) !== undefined) return',
    to: 'if (job.ended !== undefined || job.tree.entryFor(path) !== undefined) return',
  },
  {
    ...saves,
    name: 'saved states have no bound',
    from: 'const hasRoom = excess <= 0',
    to: 'const hasRoom = excess <= 1e12',
  },
  {
    ...saves,
    name: 'a false number keeps out the states of the next holder',
    from: 'const isAnother = isOwn && from !== known.by',
    to: 'const isAnother = false',
  },
  {
    file: `${core}/workers.ts`,
    test: `${core}/saves.test.ts`,
    name: 'a task begins without its saved state',
    from: '...(node.saved && { saved: node.saved.state }),',
    to: '',
  },
  {
    file: `${core}/membership.ts`,
    test: `${core}/saves.test.ts`,
    name: 'a member that leaves waits for an acknowledgement, and its last states are lost',
    from: 'this.#parts.reports.flush(true)',
    to: 'this.#parts.reports.flush()',
  },
  {
    file: `${core}/reports.ts`,
    test: `${core}/saves.test.ts`,
    name: 'a new replica does not get the saved states',
    from: 'if (progress.isNew) reportSaved(job)',
    to: 'if (progress.number < 0) reportSaved(job)',
  },
  {
    ...frameSaves,
    name: 'each state goes out at once',
    from: 'const wait = this.#sentAt + SAVE_EVERY - performance.now()',
    to: 'const wait = 0',
  },
  {
    ...frameSaves,
    name: 'a task goes on after its last save',
    from: 'await new Promise<never>(() => {})',
    to: 'await Promise.resolve()',
  },
  {
    ...shares,
    name: 'nobody counts as away',
    from: 'used === 0 || own > share * used',
    to: 'used === 0 || own >= 0',
  },
  {
    ...shares,
    name: 'the compensation has no cap',
    from: 'const rest = Math.min(1 - overShare, most)',
    to: 'const rest = 1 - overShare + 0 * most',
  },
  {
    file: `${core}/share-account.ts`,
    test: `${core}/share-account.test.ts`,
    name: 'earlier use counts for ever',
    from: 'used: Math.max(0, decayed(use.used, now - use.at, halfLife) + time)',
    to: 'used: Math.max(0, decayed(use.used, 0, halfLife) + time)',
  },
  {
    file: `${core}/grants.ts`,
    test: `${core}/busy-thieves.test.ts`,
    name: 'a busy thief gets the only task',
    from: 'if (busy && this.#keepsLast(job)) {',
    to: 'if (busy && job.ready.size < 0) {',
  },
  {
    file: 'packages/compute/src/shell/administration.ts',
    test: 'packages/compute/src/shell/administration.test.ts',
    name: 'anybody may set shares',
    from: '!this.#admins.includes(record.owner) || ',
    to: '',
  },
  {
    file: 'packages/compute/src/program/migration.ts',
    test: 'packages/compute/src/program/migration.test.ts',
    name: 'a short loss of speed moves a computation',
    from: 'return this.#slowFor >= SUSTAINED_TIME && this.mean > this.#upper',
    to: 'return this.#slowFor > 0 && this.mean > this.#upper',
  },
  {
    ...saves,
    name: 'the highest number keeps out all later states',
    from: 'if (!isHolder || !(isAnother || number === MAX_SAVES)) return',
    to: 'if (!isHolder || !isAnother) return',
  },
  {
    ...saves,
    name: 'the holder of a task above replaces a later state by an earlier one',
    from: 'const isAnother = isOwn && from !== known.by',
    to: 'const isAnother = from !== known.by',
  },
  {
    ...saves,
    name: 'one member takes all room for states',
    from: 'if (largest === undefined || (by !== self && excess > most)) return by === self',
    to: 'if (by !== self || largest === undefined) return by === self',
  },
  {
    ...saves,
    name: 'a member that leaves returns earlier states of tasks that it gave away',
    from: 'saved?.by === this.#context.self && holder === undefined ?',
    to: 'saved?.by === this.#context.self ?',
  },
  {
    file: `${core}/report-content.ts`,
    test: `${core}/saves.test.ts`,
    name: 'states that have no room in a report are lost',
    from: 'if (bytes >= REPORT_BYTES) break\n    const',
    to: 'if (bytes >= REPORT_BYTES) lacking.clear()\n    const',
  },
  {
    file: `${core}/reports.ts`,
    test: `${core}/saves.test.ts`,
    name: 'states go out again and again',
    from: 'for (const path of progress.savedSent) progress.saved.delete(path)',
    to: '',
  },
  {
    file: 'packages/compute/src/program/task-context.ts',
    test: 'packages/compute/src/program/runtime.test.ts',
    name: 'random numbers begin again after a saved state',
    from: 'earlier?.draws ?? 0',
    to: '0',
  },
  {
    file: `${core}/grants.ts`,
    test: `${core}/busy-thieves.test.ts`,
    name: 'a victim keeps its last task without shares',
    from: '!this.#queue.hasShares || ',
    to: '',
  },
  {
    file: `${core}/grants.ts`,
    test: `${core}/busy-thieves.test.ts`,
    name: 'a busy thief that is refused loses its lifeline',
    from: 'if (keepsLast && tasks.length === 0) return',
    to: 'if (keepsLast && tasks.length === 0) return void this.#lifelines.delete(from)',
  },
  {
    ...queue,
    name: 'a policy that is published again forgives all leads',
    from: '} else this.#account.change(policy)',
    to: '} else {\n      this.#account.change(policy)\n      for (const owner of this.#leads.keys()) this.#leads.set(owner, 0)\n    }',
  },
  {
    ...queue,
    name: 'an owner gets turns back that it paid for with many tickets',
    from: 'const scale = time < 0 && before !== undefined ? Math.min(1, tickets / before) : 1',
    to: 'const scale = before === undefined || tickets > 0 ? 1 : 0',
  },
  {
    ...queue,
    name: 'a lead counts in tickets of its time',
    from: 'this.#leads.set(owner, lead + time * scale)',
    to: 'this.#leads.set(owner, lead + time * scale * (ALL_TICKETS / tickets))',
  },
  {
    file: `${core}/share-account.ts`,
    test: `${core}/share-account.test.ts`,
    name: 'each unnamed owner has an account of its own',
    from: 'const party = nameIn(shares, owner) ?? OTHERS',
    to: 'const party = nameIn(shares, owner) ?? owner',
  },
  ...[
    {
      name: 'a job begins before the job that has to come first',
      file: `${core}/dependencies.ts`,
      from: 'return open.length > 0',
      to: 'return open.length > 1',
    },
    {
      name: 'a replica does not follow the job that has to come first',
      file: `${core}/dependencies.ts`,
      from: 'for (const id of open) this.#follow(id)',
      to: 'if (open.length > 9) this.#follow(open[0] as string)',
    },
    {
      name: 'a job begins although the job that had to come first failed',
      file: `${core}/dependencies.ts`,
      from: "(before.entry !== undefined && 'value' in before.entry.outcome)",
      to: '(before.entry !== undefined)',
    },
    {
      name: 'a job waits for ever for one that nobody knows',
      file: `${core}/dependencies.ts`,
      from: 'return until > now',
      to: 'return until > 0',
    },
    {
      name: 'a job that has begun waits again',
      file: `${core}/dependencies.ts`,
      from: 'after.length === 0 || job.work.totalsAt(this.#context.self).begun > 0',
      to: 'after.length === 0',
    },
    {
      name: 'the time of a job begins anew at each replica',
      file: `${core}/time-limits.ts`,
      from: 'if (job.runs && job.work.totalsAt(self).begun > 0)',
      to: 'if (job.runs && job.work.own.begun > 0)',
    },
    {
      name: 'the time of a job counts while it is suspended',
      file: `${core}/time-limits.ts`,
      from: 'if (!job.runs || maxTime === undefined)',
      to: 'if (job.ended !== undefined || maxTime === undefined)',
    },
    {
      name: 'no later replica fails a job that ran for too long',
      file: `${core}/time-limits.ts`,
      from: 'else if (place !== -1) {',
      to: 'else if (place === 0) {',
    },
  ].map((fault) => ({ ...fault, test: 'packages/simulator/src/grid/job-order.test.ts' })),
  ...[
    {
      name: 'a reserved worker begins tasks',
      file: `${core}/workers.ts`,
      from: 'return Math.max(0, this.#workers.length - this.#reserved)',
      to: 'return this.#workers.length',
    },
    {
      name: 'a task goes on at a reserved worker although it saved',
      file: `${core}/scheduler.ts`,
      from: 'if (this.#parts.workers.isOver) ',
      to: 'if (this.#parts.workers.count < 0) ',
    },
    {
      name: 'more tasks stop than workers are reserved',
      file: `${core}/workers.ts`,
      from: 'return this.busy - this.#stopped.size > this.#allowed',
      to: 'return this.busy > this.#allowed',
    },
    {
      name: 'a worker that is free again begins nothing',
      file: `${core}/workers.ts`,
      from: 'this.#reserved = count',
      to: 'this.#reserved ||= count',
    },
  ].map((fault) => ({ ...fault, test: 'packages/simulator/src/grid/saved-states.test.ts' })),
]
