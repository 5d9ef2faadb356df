/** A page keeps no jobs. */
import { InvalidOptionError } from '@jel/jel'

export function openSavedJobs(state: string | undefined): undefined {
  if (state !== undefined) throw new InvalidOptionError('state: a page keeps no jobs')
}

export function blobsIn(state: string): string {
  return state
}
