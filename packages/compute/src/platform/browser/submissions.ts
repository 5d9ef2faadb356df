/** A page works for others. It has no bundler, so it submits no jobs. */
import { ProgramError } from '../../errors.ts'

const refuse = async (): Promise<never> =>
  await Promise.reject(new ProgramError('a page submits no jobs: it has no bundler; submit them from a node'))

export const [commandSweep, functionSweep] = [refuse, refuse]

export function createSubmissions(): { readonly prepare: typeof refuse } {
  return { prepare: refuse }
}
