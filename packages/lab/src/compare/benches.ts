/** Benchmarks that `pnpm lab compare` can run on two revisions. */
import { join } from 'node:path'
import { jelBin, labMain } from '../base/paths.ts'
import { bringLaboratory } from './revision.ts'

export interface Bench {
  /**
   * Arguments of one draw, before the user's own. They keep a draw short, because there are six
   * draws in a row.
   */
  readonly args: readonly string[]
  /** Prepares the checkout of the other revision. */
  readonly prepare: (folder: string) => void
  /**
   * Arguments of Node to run the benchmark on this checkout (undefined) or on the checkout in this
   * folder.
   */
  readonly on: (folder: string | undefined) => readonly string[]
}

const binOf = (folder: string | undefined): string => (folder === undefined ? jelBin : join(folder, 'apps/node/bin/jel.js'))

export const BENCHES = {
  field: {
    args: ['--contenders', 'jel', '--heals', '1', '--partition', '30'],
    prepare: () => {},
    on: (folder) => [labMain, 'field', '--bin', binOf(folder)],
  },
  pool: {
    // No swarms of hosts that share a process: they always run the code of this checkout.
    args: ['--nodes', '0', '--processes', '20', '--runs', '1', '--idle', '30'],
    prepare: () => {},
    on: (folder) => [labMain, 'pool', '--bin', binOf(folder)],
  },
  compute: {
    args: ['--contenders', 'jel', '--only', 'speed,rounds,many,kills', '--runs', '1', '--seconds', '10', '--offline'],
    // The submitter is a program of this package, and it imports the packages of its own checkout.
    prepare: bringLaboratory,
    on: (folder) => [folder === undefined ? labMain : join(folder, 'packages/lab/src/main.ts'), 'compute-field'],
  },
} as const satisfies Record<string, Bench>

export const NAMES = Object.keys(BENCHES) as (keyof typeof BENCHES)[]
