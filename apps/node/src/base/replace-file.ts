import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/**
 * Replaces the content of a file in one step. A reader finds the old content or the new one, also
 * after a crash. A device or a pipe takes the content as it comes.
 *
 * @throws Error if the content can't be written; then the old content is still there
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(file).catch(() => resolve(file))
  const present = await stat(target).catch(() => undefined)
  if (present?.isFile() === false) {
    await writeFile(file, content)
    return
  }
  const temporary = `${target}.${process.pid}.tmp`
  // A process of the same id may have ended here.
  await rm(temporary, { force: true })
  try {
    await writeFile(temporary, content, { flag: 'wx', ...(present && { mode: present.mode }) })
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    if (!isRefused(error)) throw error
    // The folder takes no new file.
    await writeFile(target, content)
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
}
