/** Outcomes of jobs on disk. `../browser/saved.ts` has the same exports. */
import { join } from 'node:path'
import { SavedJobs, type SavedJobsOptions } from '../../shell/saved-jobs.ts'

/** @param state the folder of this member alone; undefined: it keeps nothing on disk */
export function openSavedJobs(state: string | undefined, options: Omit<SavedJobsOptions, 'folder'>): SavedJobs | undefined {
  return state === undefined ? undefined : new SavedJobs({ ...options, folder: join(state, 'outcomes') })
}

/** Returns the folder of the blobs of a member with a folder of its own. */
export function blobsIn(state: string): string {
  return join(state, 'blobs')
}
