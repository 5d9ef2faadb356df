import { stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import writeFileAtomic from 'write-file-atomic'

/** Error codes of a disk that takes no more bytes, or is damaged. */
const DISK_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])

/**
 * Replaces the content of a file in one step. A reader finds the old content or the new one, also
 * after a crash. Devices, pipes and files with several names take the content as it comes, and so
 * does a file beside which no other file can be made.
 *
 * @throws Error if the content can't be written; on a full disk the old content is still there
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const present = await stat(file).catch(() => undefined)
  // `/dev/stdout` may lead to a file that others write to as well.
  if (present?.isFile() !== true || present.nlink > 1 || /^\/(dev|proc)\//u.test(resolve(file))) {
    await writeFile(file, content)
    return
  }
  try {
    await writeFileAtomic(file, Buffer.from(content))
  } catch (error) {
    if (error instanceof Error && 'code' in error && DISK_FAULTS.has(String(error.code))) throw error
    await writeFile(file, content)
  }
}
