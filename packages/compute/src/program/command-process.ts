import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { constants, homedir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskLimits } from './task-limits.ts'
import { confined, hidesHome } from './command-confinement.ts'
import { COMMAND_PATH, containerOf, NOT_STARTED, type Container } from './command-container.ts'
import { REMOVE, type CommandFolder } from './command-folder.ts'

/** Maximum bytes that a command may print for one value. The value must fit into a message. */
export const MAX_PRINTED = 900_000
/** Characters of standard error in an error. A guess: the last message is shorter. */
export const MAX_REASON = 400
/**
 * `GRACE`: time between SIGTERM and SIGKILL, ms. It takes at most the share `GRACE_SHARE` of the
 * task's time. The same time remains between SIGKILL and the end of the task's time. Guesses.
 */
const [GRACE, GRACE_SHARE] = [2000, 0.1]
/** Interval of the checks of the folder, ms. A guess: an SSD writes 250 MB in this time. */
const CHECK = 500
/**
 * A process that left the group may keep the output open after the end of the command. The output
 * is read for this much longer, ms. A guess.
 */
const PASS_ON = 500
/**
 * MiB that a runtime may reserve besides the memory that it uses. Node 24 reserves 574 (measured).
 */
const BASE_DATA = 640
const MEBIBYTE = 2 ** 20
/**
 * If a signal ended the command of a shell, the shell's status is this number plus the signal's
 * number.
 */
const SIGNALLED = 128
/** The statuses of a shell that can't run its command. */
const [NO_PROGRAM, NO_COMMAND] = [126, 127]

/**
 * A shell script that waits for the end of its input. The input ends at the latest when this
 * process ends. Then the script kills the process group `$1`, and removes the folder `$3`. `$2` is
 * empty.
 */
const CLEAN_UP = `read -r _; kill -9 -"$1" 2>/dev/null; shift 2; ${REMOVE}`
/**
 * The same script for the container `$2`. A SIGKILL to an engine (podman or docker) that starts a
 * container leaves the container behind (measured: podman 4.3). So the script first sends SIGTERM,
 * and gives the engine a second.
 */
const cleanUpOf = (container: Container): string => `read -r _; kill -TERM -"$1" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 -"$1" 2>/dev/null || break; sleep 0.1; done
group=$1; shift; ${container.remove}; kill -9 -"$group" 2>/dev/null; ${container.remove}
shift; ${REMOVE}`

/**
 * A shell script that runs the command `$1`. `$2`: blocks that a file may have. `$3`: KiB of data
 * that a process may have. Both are empty for no limit. The other arguments are the prefix that
 * confines the command. The script waits for a line on descriptor 3, so no command runs without the
 * script that cleans up.
 */
const LIMITED = `read -r _ <&3 || exit 1; exec 3<&-; ulimit -c 0; [ -z "$2" ] || { ulimit -f "$2"; ulimit -d "$3"; } 2>/dev/null
command=$1; shift 3; exec "$@" /bin/sh -c "$command"`

export interface CommandStart {
  /** A command for the shell. */
  readonly command: string
  /** Environment variables besides those of all commands. */
  readonly env: Readonly<Record<string, string>>
  readonly folder: CommandFolder
  readonly limits: TaskLimits
  /** The name of the container image in which the command runs. */
  readonly image?: string | undefined
}

/** The reason why a command failed. `commandTask` lists the codes. */
interface CommandFailure {
  readonly code: string
  readonly message: string
}

const NO_CONTAINER: CommandFailure = { code: 'COMMAND_CONTAINER_FAILED', message: 'its container did not start' }

/**
 * A command that runs in a process group of its own, as confined as this machine allows. On a
 * machine without namespaces, children in process groups of their own may outlive the command.
 */
export class CommandProcess {
  readonly #child: ChildProcess
  readonly #cleanUp: ChildProcess
  readonly #limits: TaskLimits
  readonly #isContained: boolean
  readonly #isHomeHidden: boolean
  readonly #exit: Promise<[number | null, NodeJS.Signals | null]>
  readonly #close: Promise<unknown>
  readonly #cleaned: Promise<unknown>
  readonly #removed = new AbortController()
  /** Runs a function on behalf of the task for which the command works. */
  #onBehalf: <Result>(action: () => Result) => Result = AsyncLocalStorage.snapshot()
  #lastWords = ''
  /** The reason why this process stopped the command. */
  #reason: CommandFailure | undefined

  private constructor(child: ChildProcess, cleanUp: ChildProcess, { folder, limits, image }: CommandStart, isHomeHidden: boolean) {
    this.#child = child
    this.#cleanUp = cleanUp
    this.#limits = limits
    this.#isContained = image !== undefined
    this.#isHomeHidden = isHomeHidden
    this.#exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
    this.#close = once(child, 'close').catch(() => {})
    this.#cleaned = once(cleanUp, 'exit').catch(() => {})
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-MAX_REASON)
      this.#onBehalf(() => process.stderr.write(text))
    })
    // A command need not read its input. Then a write fails, and this is no error.
    for (const stream of [child.stdin, child.stdio[3]]) stream?.on('error', () => {})
    if (cleanUp.pid === undefined) this.stop('EAGAIN', 'this machine starts no more processes')
    else (child.stdio[3] as Writable).end('\n')
    void watchFolder(this, folder, limits.disk * MEBIBYTE, this.#removed.signal)
  }

  static async start(start: CommandStart): Promise<CommandProcess> {
    const { command, env, folder, limits, image } = start
    const data = BASE_DATA + limits.memory
    const container = image === undefined ? undefined : await containerOf(image, folder, Object.keys(env), { data, file: limits.disk })
    // The limits of a container don't hold for its engine, which may fetch the image.
    const [blocks, kibibytes] = container === undefined ? [Math.ceil((limits.disk * MEBIBYTE) / 512), Math.ceil(data * 1024)] : ['', '']
    const prefix = container?.prefix ?? (await confined(folder))
    // An engine has its settings and images in the user's home folder.
    const places = container === undefined ? { HOME: folder.work, TMPDIR: folder.temporary } : { HOME: homedir() }
    const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', command, String(blocks), String(kibibytes), ...prefix], {
      cwd: folder.work,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: { PATH: COMMAND_PATH, ...places, ...env },
    })
    // If no descriptors are free, the child has no streams.
    if ((child.stdio as unknown) === undefined) {
      child.on('error', () => {})
      throw Object.assign(new Error('the command can not be started: no file descriptors are left'), { code: 'EMFILE' })
    }
    const cleanUp = spawn(
      '/bin/sh',
      ['-c', container === undefined ? CLEAN_UP : cleanUpOf(container), 'sh', String(child.pid), container?.name ?? '', folder.base],
      {
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    )
    return new CommandProcess(child, cleanUp, start, hidesHome(prefix))
  }

  get input(): Writable {
    return this.#child.stdin as Writable
  }

  get output(): Readable {
    return this.#child.stdout as Readable
  }

  /** The command works for the calling task from now on. */
  serve(): void {
    this.#onBehalf = AsyncLocalStorage.snapshot()
    this.#lastWords = ''
  }

  /** Writes text to the output of the task for which the command works. */
  say(text: string): void {
    this.#onBehalf(() => process.stdout.write(text))
  }

  /**
   * Ends the command shortly before the time of its task is over. Returns a function that cancels
   * this.
   *
   * @param begin the start of the task's time, by the clock of `performance`
   */
  limitTime(begin: number): () => void {
    const { time } = this.#limits
    const grace = Math.min(GRACE, time * GRACE_SHARE)
    const kill = Math.max(0, begin + time - grace - performance.now())
    const timers = [
      setTimeout(
        () => this.stop('COMMAND_TIMED_OUT', `the command ran for more than ${(time - 2 * grace) / 1000} s`, 'SIGTERM'),
        kill - grace,
      ),
      setTimeout(() => this.#kill(), kill),
    ]
    return () => {
      for (const timer of timers) clearTimeout(timer)
    }
  }

  get isStopped(): boolean {
    return this.#reason !== undefined
  }

  /** Ends the command. The first reason counts. */
  stop(code: string, message: string, by: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): void {
    this.#reason ??= { code, message }
    if (by === 'SIGTERM') signal(this.#child, by)
    else this.#kill()
  }

  #kill(): void {
    if (this.#isContained) this.#cleanUp.stdin?.end()
    else signal(this.#child, 'SIGKILL')
  }

  /**
   * Waits until the command and its children have ended. Returns the reason if the command failed.
   */
  async ended(): Promise<(Error & CommandFailure) | undefined> {
    const [status, by] = await this.#exit
    // Background children end with the command.
    if (!this.#isContained) signal(this.#child, 'SIGKILL')
    await Promise.race([this.#close, sleep(PASS_ON)])
    for (const stream of this.#child.stdio) stream?.destroy()
    const reason =
      this.#reason ??
      (this.#isContained && status === NOT_STARTED ? NO_CONTAINER : endOf(status, by, this.#limits.disk, this.#isHomeHidden))
    if (reason === undefined) return undefined
    const words = this.#lastWords.trim()
    return Object.assign(new Error(words === '' ? reason.message : `${reason.message}: ${words}`), { code: reason.code })
  }

  /** Kills all remaining processes, and removes the folder. */
  async remove(): Promise<void> {
    this.#removed.abort()
    this.#cleanUp.stdin?.end()
    await this.#cleaned
  }
}

/** Returns the reason why a command failed; undefined if it succeeded. */
function endOf(status: number | null, by: NodeJS.Signals | null, disk: number, isHomeHidden: boolean): CommandFailure | undefined {
  if (status === 0) return undefined
  const name = by ?? Object.entries(constants.signals).find(([, number]) => number === (status ?? 0) - SIGNALLED)?.[0]
  if (name === 'SIGXFSZ') return { code: 'COMMAND_DISK_FULL', message: `a file of the command has more than ${disk} MiB` }
  if (name !== undefined) return { code: 'COMMAND_SIGNALLED', message: `${name} ended the command` }
  // An interpreter in a home folder may exist, but the command can't see it.
  const hint = isHomeHidden && (status === NO_PROGRAM || status === NO_COMMAND) ? ', where home folders and /tmp are hidden' : ''
  return { code: 'COMMAND_FAILED', message: `the command ended with status ${status}${hint}` }
}

async function watchFolder(run: CommandProcess, folder: CommandFolder, bytes: number, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await sleep(CHECK, undefined, { signal: over }).catch(() => {})
    if (over.aborted || !(await folder.exceeds(bytes))) continue
    run.stop('COMMAND_DISK_FULL', `the command wrote more than ${bytes / MEBIBYTE} MiB, or too many files`)
    return
  }
}

/** Sends a signal to a command and its children, even if the command itself has ended. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch {
    // All processes of the group are gone.
  }
}
