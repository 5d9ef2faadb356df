import { lstat, mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { CollectedFile, CommandResult, Job, MapOutcome } from '@jel/compute'
import { codeOf, messageOf } from '../base/usage-error.ts'

/** The result of a sweep, and the number of its files. */
interface Collected {
  /** The result of the sweep without the names of the files. */
  readonly result: readonly unknown[]
  /** The number of written files. */
  readonly files: number
}

/**
 * Writes the files that the commands of a sweep made. The files of the first input go to the folder
 * `1` below `folder`, and so on.
 *
 * @param keepGoing the result has an outcome for each input; an input whose files can't be fetched
 *   has failed
 * @throws the first error of `files` of the job, or of the file system, once all other files are
 * written
 */
export async function collect(
  job: Pick<Job, 'files' | 'result'>,
  { folder, keepGoing }: { readonly folder: string; readonly keepGoing: boolean },
): Promise<Collected> {
  let files = 0
  const valueOf = async (given: unknown, index: number): Promise<unknown> => {
    const { value, files: reference } = given as CommandResult
    const made = await job.files(reference)
    await writeFiles(join(folder, String(index + 1)), made)
    files += made.length
    return value
  }
  const result: unknown[] = []
  const errors: unknown[] = []
  for (const [index, given] of ((await job.result) as readonly unknown[]).entries()) {
    const outcome = given as MapOutcome
    if (!keepGoing) result.push(await valueOf(given, index).catch((error: unknown) => void errors.push(error)))
    else if (outcome.status === 'rejected') result.push(outcome)
    else
      result.push(
        await valueOf(outcome.value, index).then(
          (value) => ({ status: 'fulfilled', value }),
          (error: unknown) => ({ status: 'rejected', reason: { code: codeOf(error), message: messageOf(error), member: '' } }),
        ),
      )
  }
  if (errors.length > 0) throw errors[0]
  return { result, files }
}

/**
 * Writes files below a folder. No file gets to a place outside of the folder: `files` of a job
 * refuses paths that lead out of it, and this function refuses a link that is already there. An
 * existing file is replaced.
 */
export async function writeFiles(folder: string, files: readonly CollectedFile[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  await makeFolder(folder)
  for (const { path, bytes } of files) {
    let at = folder
    for (const part of dirname(path).split('/')) {
      at = join(at, part)
      await makeFolder(at)
    }
    // Unlike a write, a rename follows no link that has this name.
    const made = join(at, `.${crypto.randomUUID()}`)
    await writeFile(made, bytes, { flag: 'wx' })
    await rename(made, join(at, basename(path)))
  }
}

/** @throws Error if there is something else of that name, such as a link to a folder */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  if (!(await lstat(folder)).isDirectory()) throw Object.assign(new Error(`${folder} is no folder`), { code: 'NO_FOLDER' })
}
