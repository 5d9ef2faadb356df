import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { Place } from './program-module.ts'

/** What V8 and its threads reserve before the program has anything, MiB, as `ulimit -d` counts it: 574 measured with Node 24. */
const BASE_DATA = 640

/**
 * Ends the process when the one that started it is gone, even if it loops: `read` returns at the end of descriptor 4.
 * A command in the background would lose its input, so that goes by descriptor 5.
 */
const WATCHED = `ulimit -c 0; exec 5<&0; "$@" <&5 4<&- 5<&- & exec 0<&- 3<&- 5<&-
read -r _ <&4; kill -9 $! 2>/dev/null; wait $!`
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
  { name: 'none', command: [] },
]

let known: Confinement | undefined

/** How a process can be confined on this machine; found out once, by trying. */
export function confinement(): Confinement {
  known ??= find()
  return known
}

function find(): Confinement {
  const limits = existsSync('/bin/sh')
  const usable = namespaces.find(({ command }) => command.length === 0 || (limits && works(command))) as (typeof namespaces)[number]
  return { command: usable.command, namespaces: usable.name, limits }
}

/** With the same shell and the same empty environment as later. */
function works(command: readonly string[]): boolean {
  const args = ['-c', 'exec "$@"', 'sh', ...command, process.execPath, '--version']
  return spawnSync('/bin/sh', args, { env: {}, stdio: 'ignore', timeout: 5000 }).status === 0
}

/**
 * A Node that runs a module in `place`, whose heap, and in a sandbox all that it has, may take `memory` MiB. It speaks by descriptor 3, and ends with descriptor 4.
 * @throws Error where no process can be had
 */
export function spawnProgram(module: string, place: Place, memory: number): ProgramProcess {
  const { command, limits } = confinement()
  const node = [process.execPath, `--max-old-space-size=${memory}`, '--disable-warning=ExperimentalWarning']
  const [file, ...args] =
    place === 'own'
      ? watched(limits, [...node, ...MODULE])
      : limits
        ? ['/bin/sh', '-c', BOUNDED, 'sh', String((BASE_DATA + memory) * 1024), ...command, ...NO_FILES, ...node, ...PERMISSIONS, ...MODULE]
        : [...command, ...node, ...PERMISSIONS, ...MODULE]
  const child = spawn(file as string, args, {
    env: {},
    ...(place === 'own'
      ? { stdio: ['pipe', 'inherit', 'inherit', 'pipe', 'pipe'] }
      : { cwd: '/', stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'] }),
    // In a group of its own: it ends with all that it may have started.
    detached: limits,
  })
  const [input, , , channel, lifeline] = child.stdio as unknown as readonly Socket[]
  for (const stream of child.stdio) stream?.on('error', () => {})
  input?.end(module)
  return { child, channel: channel as Socket, lifeline: lifeline as Socket, kill: () => kill(child, limits) }
}

/** Its code comes over its input. */
const MODULE = ['--input-type=module', '-']
const PERMISSIONS = ['--permission']

function watched(hasShell: boolean, command: readonly string[]): readonly string[] {
  return hasShell ? ['/bin/sh', '-c', WATCHED, 'sh', ...command] : command
}

function kill(child: ChildProcess, isGroup: boolean): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    process.kill(isGroup ? -pid : pid, 'SIGKILL')
  } catch {
    // It is gone.
  }
}

export interface ProgramProcess {
  readonly child: ChildProcess
  readonly channel: Socket
  /** Once it is destroyed the process ends. */
  readonly lifeline: Socket
  /** Ends it, and all that it started. */
  readonly kill: () => void
}
