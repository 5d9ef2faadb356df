/**
 * Local sockets that only this user can connect to. Each node has a control socket, which clients
 * find by the name of the pool. Each stream that a program gets has a socket as well.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { codeOf } from './usage-error.ts'

/**
 * The prefix of named pipes (Windows). The name of a control pipe contains the user, so that users
 * don't collide.
 */
const PIPES = '\\\\.\\pipe\\'
/**
 * The number of last characters of an id that distinguish nodes of one machine. A path of a Unix
 * socket has at most 107 bytes, 103 on some systems.
 */
const ID_LENGTH = 16

/** The default path of a node's control socket. */
export function controlPath(pool: string, id: string): string {
  return `${prefixOf(pool)}${id.slice(-ID_LENGTH)}${windows() ? '' : '.sock'}`
}

/**
 * Returns the control sockets of this user's nodes in a pool, with the ends of their ids. `id`
 * selects nodes by the end of their id. A killed node leaves its socket behind.
 * Throws if another user could have created the sockets.
 */
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

/** Returns a new path for the socket of a stream. */
export function streamPath(): string {
  const name = `stream-${randomUUID()}`
  return windows() ? `${PIPES}jel-${name}` : join(folderOf(), `${name.slice(0, 23)}.sock`)
}

/** Listens at the path, for this user only. Throws an Error that names the path. */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  if (path.startsWith(`${folderOf()}/`)) makeFolder()
  // The mask sets the rights of the socket at its creation, since the socket accepts connections at
  // once.
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
 * Returns the reason why a socket is not trustworthy, or undefined if it is safe or missing. The
 * creator of a socket reads all that is sent, pool keys included.
 * The folder protects its sockets from other users. A socket at another path must belong to this
 * user or to root. Root may use any socket.
 */
export function socketProblem(path: string): string | undefined {
  if (windows()) return undefined
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isSocket()) return 'it is not a socket'
  const mine = ownUid()
  return stats.uid === mine || stats.uid === 0 || mine === 0 ? undefined : 'it belongs to another user'
}

/** Identifies a socket: a new socket at the same path differs in its number or its time. */
export function socketMark(path: string): string | undefined {
  const stats = windows() ? undefined : lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.ino} ${stats.ctimeNs}`
}

/** Removes a socket on which nobody listens, unless another socket has taken its path. */
export function removeSocket(path: string, mark: string | undefined): void {
  if (socketMark(path) === mark) rmSync(path, { force: true })
}

/** Makes the folder of all sockets, with access for this user only. */
function makeFolder(): void {
  if (windows()) return
  const folder = folderOf()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (uid === ownUid() && (mode & 0o077) !== 0) chmodSync(folder, 0o700)
  isOwn(folder)
}

/**
 * Returns false if the folder is missing. Throws an Error with the reason if other users could have
 * changed its content. Anybody can create the folder first if it is among the temporary files.
 */
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

/**
 * Avoids `userInfo`: it throws for a user without an entry in the list of users. Many containers
 * have such users.
 */
function ownUid(): number | undefined {
  return process.getuid?.()
}

function prefixOf(pool: string): string {
  const hash = createHash('sha256').update(pool).digest('hex').slice(0, 12)
  return windows() ? `${PIPES}jel-${userInfo().username}-${hash}-` : join(folderOf(), `${hash}-`)
}

/**
 * Returns the folder of all sockets. The path is short. The folder does not outlive a restart of
 * the machine.
 */
function folderOf(): string {
  const own = process.env['XDG_RUNTIME_DIR']
  return own ? join(own, 'jel') : join(tmpdir(), `jel-${ownUid()}`)
}

function windows(): boolean {
  return process.platform === 'win32'
}
