/** Bundles programs for jobs. `../browser/submissions.ts` has the same exports. */
import type { BlobStore } from '../../shell/blob-store.ts'
import { Submissions } from '../../shell/submission.ts'

export { commandSweep, functionSweep } from '../../shell/sweep.ts'

export function createSubmissions(store: BlobStore): Submissions {
  return new Submissions(store)
}
