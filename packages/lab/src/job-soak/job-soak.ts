/**
 * Submits jobs of all kinds. Cancels some of them, and lets some expire. Meanwhile members with
 * small disks come, leave and crash, and cuts part them. Checks three things: no job is lost or
 * hangs, the member that joins last has every right result, and memory and disk stay flat. A
 * scenario can't express this: it has no large values, no failed, cancelled or expired jobs, and no
 * limits of disks.
 */
import { positive, seconds, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { JobSoak } from './soak.ts'
import { mega, problemsOf } from './verdict.ts'

export const experiment = bench({
  about: 'jobs of all kinds while members come, leave, are killed and cut apart: is no job lost?',
  settings: {
    minutes: positive(60, 'minutes during which jobs are submitted'),
    members: whole(6, 'jel work processes on two hosts, each with one task at a time', 4),
    every: seconds(12, 'seconds between two faults: a member is killed or leaves, or the hosts are cut apart for 8 s'),
    disk: whole(20, 'MiB that each member may have on its disk'),
  },
  notes: `Exit status 1 if a job is lost or hangs, a result is wrong, a process ends by itself, or a disk is over its limit. In a soak of twenty
minutes or more also if the live memory of a member that stays grows. Needs Linux, and root or user namespaces.`,
  where: 'hosts',
  async measure({ minutes, members, every, disk: diskMiB }, { folder }) {
    const soak = new JobSoak({ folder, members, every, diskMiB })
    await soak.start()
    await soak.run(AbortSignal.timeout(minutes * 60_000))
    const result = await soak.finish()
    const problems = problemsOf({ ...result, minutes, diskLimit: diskMiB * 2 ** 20 })
    const { killed, left, cuts } = soak
    return { ...result, title: `${minutes} minutes, ${members} members, disks of ${diskMiB} MiB`, killed, left, cuts, problems }
  },
  table: ({ title, jobs, killed, left, cuts, disk, memory, problems }) =>
    [
      title,
      `${jobs.length} jobs (${[...Map.groupBy(jobs, ({ kind }) => kind)].map(([kind, all]) => `${all.length} ${kind}`).join(', ')})`,
      `${killed} members killed, ${left} left, ${cuts} cuts; at most ${mega(disk)} MB on a disk`,
      ...memory.map((samples) => `live memory of one that stayed: ${samples.map(({ bytes }) => mega(bytes)).join(' ')} MB`),
      ...problems.map((problem) => `- ${problem}`),
      problems.length === 0 ? 'passed' : `failed: ${problems.length} problems`,
    ].join('\n'),
  passed: ({ problems }) => problems.length === 0,
})
