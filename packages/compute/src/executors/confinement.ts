import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'

/** What V8 and its threads reserve before the program has anything, MiB, as `ulimit -d` counts it: 574 measured with Node 24. */
const BASE_DATA = 640

/**
 * Ends the process when the one that started it is gone, even if it loops: `read` returns at the end of descriptor 4.
 * A command in the background would lose its input, so that goes by descriptor 5.
 */
const SHELL = `ulimit -c 0; ulimit -d "$1" || exit 1; shift
exec 5<&0; "$@" <&5 4<&- 5<&- & exec 0<&- 3<&- 5<&-
read -r _ <&4; kill -9 $!; wait $!`

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

/** A Node that runs a module, may use `memory` MiB, and has permission to nothing; it speaks by descriptor 3, and ends with descriptor 4. */
export function spawnConfined(module: string, memory: number): ConfinedProcess {
  const { command, limits } = confinement()
  const flags = ['--permission', `--max-old-space-size=${memory}`, '--disable-warning=ExperimentalWarning', '--input-type=module', '-']
  const node = [...command, ...(limits ? NO_FILES : []), process.execPath, ...flags]
  const [file, ...args] = limits ? ['/bin/sh', '-c', SHELL, 'sh', String((BASE_DATA + memory) * 1024), ...node] : node
  // In a group of its own: it ends with all that it may have started.
  const child = spawn(file as string, args, { cwd: '/', env: {}, stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true })
  const [input, , , channel, lifeline] = child.stdio as unknown as readonly Socket[]
  for (const stream of child.stdio) stream?.on('error', () => {})
  input?.end(module)
  return { child, channel: channel as Socket, lifeline: lifeline as Socket }
}

export interface ConfinedProcess {
  readonly child: ChildProcess
  readonly channel: Socket
  /** Once it is destroyed the process ends. */
  readonly lifeline: Socket
}
