import { access, constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

/**
 * Replaces the content of a file in one step. A reader finds the old content or the new one, also
 * after a crash. If this user can't keep the file's rights and owner that way, and for a device, a
 * pipe or a file with several names, the bytes are written to the file itself.
 *
 * @throws Error if the content can't be written; on a full disk the old content is still there
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(file).catch(() => resolve(file))
  // `/dev/stdout` may lead to a file that others write to as well.
  const mode = /^\/(dev|proc)\//u.test(resolve(file)) ? undefined : await modeOf(target)
  const beside = `${target}.${crypto.randomUUID()}.tmp`
  const handle = mode === undefined ? undefined : await open(beside, 'wx', mode).catch(() => undefined)
  if (handle === undefined) {
    await writeFile(file, content)
    return
  }
  try {
    try {
      await handle.writeFile(content)
      await handle.chmod(mode as number)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await rename(beside, target).catch(async () => {
    await rm(beside, { force: true })
    await writeFile(file, content)
  })
}

/** Returns the rights of a file that a file of this user can replace; undefined if none can. */
async function modeOf(target: string): Promise<number | undefined> {
  const status = await stat(target).catch(() => undefined)
  if (status?.isFile() !== true || status.nlink > 1) return undefined
  const { uid, gid, mode } = status
  if (process.getuid !== undefined && (uid !== process.getuid() || gid !== process.getgid?.())) return undefined
  return await access(target, constants.W_OK).then(
    () => mode & 0o777,
    () => undefined,
  )
}
