/**
 * Locks a file against other processes by a second file beside it. That file is empty and stays.
 *
 * The kernel holds the lock and releases it when the process ends, for whatever reason. So no lock
 * can become stale. Other kinds of lock files are worse. If a lock file names its holder, nobody
 * can tell whether a holder in another container is still alive. If the holder must renew the file,
 * a restart has to wait for seconds. Node has no call for locks of its own. SQLite comes with Node
 * and takes locks on every system.
 */
import { chmodSync, closeSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { codeOf, IdentityFileError, IdentityInUseError, reasonOf } from '../base/errors.ts'

export interface Lock {
  /** Idempotent. */
  release(): void
}

/** SQLite's result code for a lock that is held (sqlite.org/rescode.html). */
const busy = 5

/** Keeps the databases referenced. Node closes an unreferenced database, and its lock is lost. */
const held = new Set<DatabaseSync>()

/**
 * Throws {@link IdentityInUseError} if the lock is held, also if this process holds it. Throws
 * {@link IdentityFileError} if the lock can't be taken.
 */
export function lockFile(file: string): Lock {
  const path = `${canonical(file)}.lock`
  // Loads SQLite only here: only a node with an identity file needs it, and Node 22 calls it
  // experimental.
  const sqlite = process.getBuiltinModule('node:sqlite')
  let database: DatabaseSync | undefined
  try {
    keepPrivate(path)
    database = new sqlite.DatabaseSync(path, { timeout: 0 })
    // This transaction never writes. It holds the lock, and the file stays empty.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE')
  } catch (error) {
    database?.close()
    if ((error as { errcode?: unknown }).errcode === busy) throw new IdentityInUseError(`identity file ${file} is in use by another node`)
    throw new IdentityFileError(`can't lock identity file ${file} by ${path}: ${reasonOf(error)}`, { cause: error })
  }
  const taken = database
  held.add(taken)
  return { release: () => void (held.delete(taken) && taken.close()) }
}

/** Creates the file for this user alone. Another user who may read it could lock it. */
function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Opening and closing it again would release the locks of this process.
    if (codeOf(error) === 'EEXIST') chmodSync(path, 0o600)
    else throw error
  }
}

/** Returns one path for all names of the same file. */
export function canonical(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    try {
      return join(realpathSync(dirname(file)), basename(file)) // the file does not exist yet
    } catch {
      return file
    }
  }
}
