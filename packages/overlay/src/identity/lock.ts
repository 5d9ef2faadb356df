/**
 * Locks a file against other processes by a second file beside it that names the holder.
 *
 * Lock libraries keep such a file fresh by a timer and take over what went stale, which blocks the restart of a killed process for
 * ten seconds and wakes an idle one up for ever. Here the holder is looked up instead: a lock whose process is gone is void at once.
 */
import { linkSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { IdentityFileError, IdentityInUseError, codeOf, reasonOf } from '../base/errors.ts'

export interface Lock {
  /** Idempotent. */
  release(): void
}

interface Holder {
  readonly host: string
  readonly pid: number
  /** When that process started, in the system's own unit; pids are used again. Empty where it can't be found out. */
  readonly started: string
}

/** Throws {@link IdentityInUseError} if a living process holds the lock, {@link IdentityFileError} if it can't be written. */
export function lockFile(file: string): Lock {
  const path = `${canonical(file)}.lock`
  const text = `${JSON.stringify(ownHolder())}\n`
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
    while (!tryLink(temporary, path)) removeIfStale(file, path)
  } catch (error) {
    if (error instanceof IdentityInUseError) throw error
    throw new IdentityFileError(`can't lock identity file ${file}: ${reasonOf(error)}`, { cause: error })
  } finally {
    rmSync(temporary, { force: true })
  }
  const release = (): void => {
    if (!held.delete(release)) return
    if (held.size === 0) process.off('exit', releaseAll)
    rmSync(path, { force: true })
  }
  if (held.size === 0) process.once('exit', releaseAll)
  held.add(release)
  return { release }
}

/** What the locks of this process need at its end. One listener for all: Node warns of more than ten. */
const held = new Set<() => void>()

function releaseAll(): void {
  for (const release of held) release()
}

/** The same file by another name is the same file. */
function canonical(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    try {
      return join(realpathSync(dirname(file)), basename(file)) // it does not exist yet
    } catch {
      return file
    }
  }
}

/** A link is created whole or not at all, and never replaces what is there. */
function tryLink(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function removeIfStale(file: string, path: string): void {
  const text = read(path)
  if (text === undefined) return
  const holder = parseHolder(text)
  if (holder && holder.host !== hostname()) {
    throw new IdentityInUseError(
      `identity file ${file} is in use by process ${holder.pid} on ${holder.host}; if that has ended, remove ${path}`,
    )
  }
  if (holder && isAlive(holder)) throw new IdentityInUseError(`identity file ${file} is in use by process ${holder.pid}`)
  // Somebody else may find the same lock stale: only what was judged is removed, anything newer is put back.
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.stale`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if (read(aside) !== text) tryLink(aside, path)
  rmSync(aside, { force: true })
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Undefined if the text is none of ours: locks appear whole, so that is the debris of something else. */
function parseHolder(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null
    const { host, pid, started } = value ?? {}
    if (typeof host !== 'string' || typeof started !== 'string' || !Number.isSafeInteger(pid) || pid === undefined || pid <= 0)
      return undefined
    return { host, pid, started }
  } catch {
    return undefined
  }
}

function ownHolder(): Holder {
  return { host: hostname(), pid: process.pid, started: lookUp(process.pid).started }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false // anything else: it lives, but belongs to somebody else
  }
  const { started, ended } = lookUp(holder.pid)
  return !ended && (started === '' || holder.started === '' || started === holder.started)
}

/**
 * What Linux knows of a process: boot and start time, and whether it ended and only waits for its parent to notice.
 * Fields 3 and 22 of /proc/<pid>/stat, counted after the name, which may hold anything, also brackets.
 */
function lookUp(pid: number): { started: string; ended: boolean } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { started: `${boot}/${fields[19] ?? ''}`, ended: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return { started: '', ended: false }
  }
}
