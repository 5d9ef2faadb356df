import * as platform from '#platform/local'
import type { LocalGrid } from './local.ts'
import type { LocalOptions } from './options.ts'

/**
 * Runs programs of jobs without a pool, on the processors of this machine. A Cilk program also runs
 * without its keywords, but only on one processor.
 *
 * The type is stated here, so that the declarations of the package name no file of a platform.
 *
 * @param options `workers` is required
 * @throws InvalidOptionError that names the option
 */
export const computeLocal: (options: LocalOptions) => LocalGrid = platform.computeLocal
