import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'

/** What V8 and its threads reserve before the program has anything, MiB, as `ulimit -d` counts it: 574 measured with Node 24. */
const BASE_DATA = 640

/**
 * Ends the process, and all that it started, when the one that started it is gone, even if it loops: `read` fails at the end of descriptor 4. A line there asks how the process ended.
 * A command in the background would lose its input, so that goes by descriptor 5.
 */
const WATCHED = `ulimit -c 0; exec 5<&0; "$@" <&5 4<&- 5<&- & exec 0<&- 3<&- 5<&-
read -r _ <&4 || kill -9 0; kill -9 $! 2>/dev/null; wait $!`
const BOUNDED = `ulimit -d "$1" || exit 1; shift
${WATCHED}`

/** Nothing is written to disk. What makes namespaces writes some files itself, so this comes after it. */
const NO_FILES = ['/bin/sh', '-c', 'ulimit -f 0; exec "$0" "$@"']

/** What, of what the operating system can keep out, it does here. */
export interface Confinement {
  /** The command that starts a command; for a shell with descriptors 3 and 4. */
  readonly command: readonly string[]
  /** What shuts off the network and, with bubblewrap, all files but the system's. */
  readonly namespaces: 'bubblewrap' | 'unshare' | 'none'
  /** Whether memory besides the heap is bounded, and nothing can be written. */
  readonly limits: boolean
}

/** Read only: what Node is linked with. */
const SYSTEM = ['/usr', '/bin', '/lib', '/lib64']

const namespaces: readonly { readonly name: Confinement['namespaces']; readonly command: readonly string[] }[] = [
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
  // Of util-linux, on nearly every Linux.
  { name: 'unshare', command: ['unshare', '--map-root-user', '--net', '--ipc', '--uts'] },
]

let known: Promise<Confinement> | undefined

/** How a process can be confined on this machine; found out once, by trying, which takes a tenth of a second. */
export async function confinement(): Promise<Confinement> {
  known ??= find()
  // A machine that could not try may be able to later.
  known.catch(() => (known = undefined))
  return await known
}

const hasShell = existsSync('/bin/sh')

async function find(): Promise<Confinement> {
  for (const { command, name } of namespaces) if (hasShell && (await works(command))) return { command, namespaces: name, limits: true }
  return { command: [], namespaces: 'none', limits: hasShell }
}

/**
 * With the same shell and the same empty environment as later.
 * @throws Error where it could not be tried: what is not known must not count as not there
 */
async function works(command: readonly string[]): Promise<boolean> {
  const args = ['-c', 'exec "$@"', 'sh', ...command, process.execPath, '--version']
  const child = spawn('/bin/sh', args, { env: {}, stdio: 'ignore', timeout: 5000, killSignal: 'SIGKILL' })
  const [status] = (await once(child, 'exit')) as [number | null]
  if (status === null) throw new Error('it could not be found out how this machine confines programs: that took too long')
  return status === 0
}

/**
 * A Node that runs a module, whose heap may take `memory` MiB; if it is confined, all that it has. It speaks by descriptor 3, and ends with descriptor 4.
 * @param confined undefined: it may do what this process may
 * @throws Error where no process can be had
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
      ? { stdio: ['pipe', 'inherit', 'inherit', 'pipe', 'pipe'] }
      : { cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'] }),
    // In a group of its own: it ends with all that it may have started.
    detached: hasShell,
  })
  // Without descriptors it has no streams, and says why by an event that would end this process.
  child.on('error', () => {})
  if ((child.stdio as unknown) === undefined) throw new Error('it can not be started: no file descriptors are left')
  const [input, , , channel, lifeline] = child.stdio as unknown as readonly Socket[]
  for (const stream of child.stdio) stream?.on('error', () => {})
  input?.end(module)
  return { child, channel: channel as Socket, lifeline: lifeline as Socket, kill: () => kill(child) }
}

/** Its code comes over its input. */
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
    // It is gone.
  }
}

export interface ProgramProcess {
  readonly child: ChildProcess
  readonly channel: Socket
  /** Once it is destroyed the process ends, and all that it started. A line by it: its shell ends with the process, and as that did. */
  readonly lifeline: Socket
  /** Ends it, and all that it started; also what it has left behind. */
  readonly kill: () => void
}
