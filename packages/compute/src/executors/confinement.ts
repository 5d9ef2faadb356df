import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { SYSTEM, works, type NamespaceTool } from '../program/confinement-tools.ts'

/**
 * MiB that V8 and its threads reserve before the program has any memory, as `ulimit -d` counts
 * them. Measured: 574 with Node 24.
 */
const BASE_DATA = 640

/**
 * A shell script that ends the process and its descendants when the parent is gone, even if the
 * process loops. Then descriptor 4 ends and `read` fails. A line on descriptor 4 asks for the exit
 * status of the process. A background command would lose its input, so the input goes through
 * descriptor 5.
 */
const WATCHED = `ulimit -c 0; exec 5<&0; "$@" <&5 4<&- 5<&- & exec 0<&- 3<&- 5<&-
read -r _ <&4 || kill -9 0; kill -9 $! 2>/dev/null; wait $!`
const BOUNDED = `ulimit -d "$1" || exit 1; shift
${WATCHED}`

/**
 * Prevents writes to disk. It comes after the command that makes namespaces, since that command
 * writes some files.
 */
const NO_FILES = ['/bin/sh', '-c', 'ulimit -f 0; exec "$0" "$@"']

/** The confinement that the operating system of this machine offers. */
export interface Confinement {
  /** A prefix that confines the command after it. The shell must have descriptors 3 and 4. */
  readonly command: readonly string[]
  readonly namespaces: NamespaceTool
  /** Whether the confinement bounds memory besides the heap, and prevents writes to files. */
  readonly limits: boolean
}

const namespaces: readonly { readonly name: NamespaceTool; readonly command: readonly string[] }[] = [
  {
    name: 'bubblewrap',
    command: [
      ...'bwrap --unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv --dev /dev --proc /proc --chdir /'.split(' '),
      ...SYSTEM.flatMap((folder) => ['--ro-bind-try', folder, folder]),
      '--ro-bind',
      process.execPath,
      process.execPath,
    ],
  },
  // It is part of util-linux, so nearly every Linux has it.
  { name: 'unshare', command: ['unshare', '--map-root-user', '--net', '--ipc', '--uts'] },
]

let known: Promise<Confinement> | undefined

/**
 * Returns the confinement that works on this machine. One trial finds it, in a tenth of a second.
 */
export async function confinement(): Promise<Confinement> {
  known ??= find()
  // After a failed trial a later trial may succeed.
  known.catch(() => (known = undefined))
  return await known
}

const hasShell = existsSync('/bin/sh')

async function find(): Promise<Confinement> {
  for (const { command, name } of namespaces) if (hasShell && (await works(command))) return { command, namespaces: name, limits: true }
  return { command: [], namespaces: 'none', limits: hasShell }
}

/**
 * Starts a Node process that runs a module. The process communicates through descriptor 3. `memory`
 * bounds its heap, MiB. With `confined.limits`, `memory` + `BASE_DATA` bounds all its data, too.
 * The process ends when descriptor 4 closes, or on a machine without a shell, when descriptor 3
 * closes.
 *
 * @param confined undefined: the process has all rights of this process
 * @throws Error if this machine can start no process
 */
export function spawnProgram(module: string, confined: Confinement | undefined, memory: number): ProgramProcess {
  const node = [process.execPath, `--max-old-space-size=${memory}`, '--disable-warning=ExperimentalWarning']
  const [file, ...args] =
    confined === undefined
      ? watched([...node, ...MODULE])
      : confined.limits
        ? [...bounded(memory), ...confined.command, ...NO_FILES, ...node, ...PERMISSIONS, ...MODULE]
        : [...confined.command, ...node, ...PERMISSIONS, ...MODULE]
  const child = spawn(file as string, args, {
    env: {},
    ...(confined === undefined
      ? { stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] }
      : { cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'] }),
    // The process has a process group of its own. So a signal to the group ends it together with
    // all processes that it started.
    detached: hasShell,
  })
  // If no descriptors are free, the child has no streams. An unhandled `error` event would end this
  // process.
  child.on('error', () => {})
  if ((child.stdio as unknown) === undefined) throw new Error('it can not be started: no file descriptors are left')
  const [input, , , channel, livenessPipe] = child.stdio as unknown as readonly Socket[]
  for (const stream of child.stdio) stream?.on('error', () => {})
  input?.end(module)
  return { child, channel: channel as Socket, livenessPipe: livenessPipe as Socket, kill: () => kill(child) }
}

/** The code arrives on standard input. */
const MODULE = ['--input-type=module', '-']
const PERMISSIONS = ['--permission']

function bounded(memory: number): readonly string[] {
  return ['/bin/sh', '-c', BOUNDED, 'sh', String((BASE_DATA + memory) * 1024)]
}

function watched(command: readonly string[]): readonly string[] {
  return hasShell ? ['/bin/sh', '-c', WATCHED, 'sh', ...command] : command
}

function kill(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined || (!hasShell && child.exitCode !== null)) return
  try {
    process.kill(hasShell ? -pid : pid, 'SIGKILL')
  } catch {
    // The process is gone.
  }
}

export interface ProgramProcess {
  readonly child: ChildProcess
  readonly channel: Socket
  /**
   * If this end of the pipe is destroyed, the process and all processes that it started end. A line
   * on the pipe makes the shell end with the status of the process.
   */
  readonly livenessPipe: Socket
  /** Ends the process and all processes that it started, even if the process itself has ended. */
  readonly kill: () => void
}
