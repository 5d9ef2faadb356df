/** Local sockets that nobody but this user can connect to: one a node, found by the name of its pool, and one for each stream that is handed out. */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { codeOf } from './usage-error.ts'

/** Named pipes are no files; what is in their names keeps users apart. */
const PIPES = '\\\\.\\pipe\\'
/** Characters of an id that tell nodes of one machine apart: a path of a Unix socket has 107 bytes at most, 103 on some systems. */
const ID_LENGTH = 16

/** The control socket of a node, unless it was given another. */
export function controlPath(pool: string, id: string): string {
  return `${prefixOf(pool)}${id.slice(-ID_LENGTH)}${windows() ? '' : '.sock'}`
}

/** Those of all nodes of this user in a pool, or of one of them, whose id ends so, with the ends of their ids. A node that was killed leaves its socket behind.
 * Throws where somebody else could have put them there. */
export function controlPaths(pool: string, id = ''): { readonly path: string; readonly id: string }[] {
  const prefix = prefixOf(pool)
  const folder = windows() ? PIPES : folderOf()
  if (!windows() && !isOwn(folder)) return []
  return readdirSync(folder)
    .map((name) => (windows() ? folder + name : join(folder, name)))
    .filter((path) => path.startsWith(prefix))
    .map((path) => ({ path, id: path.slice(prefix.length, prefix.length + ID_LENGTH) }))
    .filter((each) => each.id.endsWith(id.slice(-ID_LENGTH)))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/** A new one for a stream. */
export function streamPath(): string {
  const name = `stream-${randomUUID()}`
  return windows() ? `${PIPES}jel-${name}` : join(folderOf(), `${name.slice(0, 23)}.sock`)
}

/** Listens there, for this user only. Throws an Error that names the path. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  if (path.startsWith(`${folderOf()}/`)) makeFolder()
  // A socket is made with the rights that the mask leaves it, and open from then on.
  const mask = process.umask(0o177)
  server.listen(path)
  process.umask(mask)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new Error(`nobody can listen at ${path}: ${codeOf(error)}`, { cause: error })
  }
}

/**
 * Why a socket is not to be spoken with: whoever made it hears what is said to it, keys of pools included. Undefined: it may be, or there is none. Its own folder keeps others
 * away from a socket; one at another path is this user's, or root's, or root knows whose it is.
 */
export function socketProblem(path: string): string | undefined {
  if (windows()) return undefined
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isSocket()) return 'it is not a socket'
  const mine = ownUid()
  return stats.uid === mine || stats.uid === 0 || mine === 0 ? undefined : 'it belongs to another user'
}

/** The folder of all sockets, for nobody but this user. */
function makeFolder(): void {
  if (windows()) return
  const folder = folderOf()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (uid === ownUid() && (mode & 0o077) !== 0) chmodSync(folder, 0o700)
  isOwn(folder)
}

/** False: it is not there. Throws an Error that says why others may have a hand in what is in it: in the folder for temporary files anybody can make it first. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  const problem = stats && folderProblem(stats)
  if (problem !== undefined)
    throw new Error(`${folder}, the folder for control sockets, ${problem}: remove it, or set XDG_RUNTIME_DIR to a folder of your own`)
  return stats !== undefined
}

function folderProblem(stats: Stats): string | undefined {
  if (!stats.isDirectory()) return 'is not a folder'
  if (stats.uid !== ownUid()) return 'belongs to another user'
  return (stats.mode & 0o077) === 0 ? undefined : `can be entered by others (mode ${(stats.mode & 0o777).toString(8).padStart(4, '0')})`
}

/** Not of `userInfo`, which throws for a user without an entry in the list of users, as in many containers. */
function ownUid(): number | undefined {
  return process.getuid?.()
}

function prefixOf(pool: string): string {
  const hash = createHash('sha256').update(pool).digest('hex').slice(0, 12)
  return windows() ? `${PIPES}jel-${userInfo().username}-${hash}-` : join(folderOf(), `${hash}-`)
}

/** A short path that is this user's own, and does not outlive a restart of the machine. */
function folderOf(): string {
  const own = process.env['XDG_RUNTIME_DIR']
  return own ? join(own, 'jel') : join(tmpdir(), `jel-${ownUid()}`)
}

function windows(): boolean {
  return process.platform === 'win32'
}
