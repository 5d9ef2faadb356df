import { access, constants, lstat, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { codeOf } from './usage-error.ts'

/**
 * The rights of a new file. A shell gives the same rights to a file that it makes. The process's
 * mask takes some away.
 */
const NEW = 0o666

/**
 * Replaces the content of a file in one step, or makes the file. A reader finds the old content or
 * the new one, also after a crash. Writes into the file itself if it is a device, a pipe, or has
 * several names, or if this user can't keep its rights and owner otherwise.
 *
 * @throws Error if the content can't be written; on a full disk the old content is still there
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const target = await realpath(file).catch(() => resolve(file))
  // `/dev/stdout` may lead to a file that others write to as well.
  const rights = /^\/(dev|proc)\//u.test(resolve(file)) ? undefined : await rightsOf(target)
  const beside = `${target}.${crypto.randomUUID()}.tmp`
  const handle = rights === undefined ? undefined : await open(beside, 'wx', rights.mode ?? NEW).catch(() => undefined)
  if (handle === undefined) {
    await writeFile(file, content)
    return
  }
  try {
    try {
      await handle.writeFile(content)
      if (rights?.mode !== undefined) await handle.chmod(rights.mode)
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

/** @throws Error if the file could not be written now */
export async function checkWritable(file: string): Promise<void> {
  if (file === '' || file.endsWith('/')) throw new Error(`${JSON.stringify(file)} is no file`)
  const status = await stat(file).catch(() => undefined)
  if (status?.isDirectory() === true) throw new Error(`${file} is a folder`)
  await access(status === undefined ? dirname(resolve(file)) : file, constants.W_OK)
}

/**
 * Returns the rights of a file if this user can put a new file in its place, otherwise undefined. A
 * file that does not exist has no rights yet.
 */
async function rightsOf(target: string): Promise<{ readonly mode?: number } | undefined> {
  // A link that leads nowhere stays a link.
  const link = await lstat(target).catch((error: unknown) => codeOf(error))
  if (link === 'ENOENT') return {}
  const status = await stat(target).catch(() => undefined)
  if (status?.isFile() !== true || status.nlink > 1) return undefined
  const { uid, gid, mode } = status
  if (process.getuid !== undefined && (uid !== process.getuid() || gid !== process.getgid?.())) return undefined
  return await access(target, constants.W_OK).then(
    () => ({ mode: mode & 0o777 }),
    () => undefined,
  )
}
