/**
 * Reliable joins and uniform elections under faults, on processes with a network between them. A
 * checker of histories judges all answers and events.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { optional, positive, someOf, whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { report } from './report.ts'
import { Run, type Result } from './run.ts'
import { KINDS, kinds } from './schedule.ts'

/** In the memory of the namespaces of this run, as are the disks of its members. */
const FOLDER = '/run/nemesis'

export const experiment = bench({
  about: 'faults of all kinds while clients elect, confirm and order; a checker judges the histories',
  settings: {
    minutes: positive(3, 'time for faults'),
    seed: whole(1, 'of the faults and the clients', 0),
    members: whole(7, 'members; half of them have files', 3),
    faults: someOf(kinds, 'kinds of faults'),
    scale: positive(1, 'factor for the time bounds after a heal, on a busy machine'),
    out: optional('DIR', 'write the history, and the output of all processes, to this folder'),
  },
  notes: `Kinds of faults:\n${kinds.map((kind) => `  ${kind.padEnd(16)} ${KINDS[kind]}`).join('\n')}

Exit status 1 if the checker finds no order for a history, if an acknowledged message is missing anywhere, if a member ends by itself, or if
nobody answers within 10 s of a heal. Needs Linux, and root or user namespaces. Clocks jump only if libfaketime is installed.`,
  where: 'hosts',
  async measure({ minutes, seed, members, faults, scale, out }): Promise<Result> {
    mkdirSync(FOLDER, { recursive: true })
    const result = await new Run({ minutes, seed, members, kinds: faults, scale, folder: FOLDER, out }).run()
    if (out !== undefined) {
      const { elections, orders } = result.history
      writeFileSync(join(out, 'history.json'), JSON.stringify({ problems: result.problems, elections, orders }, undefined, 1))
    }
    return result
  },
  table: report,
  passed: ({ problems }) => problems.length === 0,
})
