/** Benchmarks that can be run on two revisions. */
import { join } from 'node:path'
import { jelBin, labMain } from '../base/paths.ts'
import { bringLaboratory } from './revision.ts'

export interface Bench {
  /** Arguments of one draw, before the caller's own. Small enough for six draws in a row. */
  readonly args: readonly string[]
  /** Prepares a checkout for the benchmark. */
  readonly prepare: (folder: string) => void
  /** The program's arguments to run it on this checkout (undefined) or on another one. */
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
    // Hosts that share a process belong to this checkout, whatever the command line is.
    args: ['--nodes', '0', '--processes', '20', '--runs', '1', '--idle', '30'],
    prepare: () => {},
    on: (folder) => [labMain, 'pool', '--bin', binOf(folder)],
  },
  compute: {
    args: ['--contenders', 'jel', '--only', 'speed,rounds,many,kills', '--runs', '1', '--seconds', '10', '--offline'],
    // The submitter is a program of this package that imports the packages.
    prepare: bringLaboratory,
    on: (folder) => [folder === undefined ? labMain : join(folder, 'packages/lab/src/main.ts'), 'compute-field'],
  },
} as const satisfies Record<string, Bench>

export const NAMES = Object.keys(BENCHES) as (keyof typeof BENCHES)[]
