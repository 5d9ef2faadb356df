/**
 * Starts one node as a user does: a process of `jel join <pool> --json`, or of another command with
 * the same output.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { keep } from '../base/child.ts'
import { within } from '../base/wait.ts'

/** The fields of a `--json` line that this package uses. */
export interface Line {
  readonly event: string
  /** Unix ms by the node's own clock. */
  readonly time: number
  readonly node?: NodeLine
  readonly nodes?: readonly NodeLine[]
  readonly election?: string
  readonly epoch?: number
  readonly code?: string
  readonly message?: string
  /** The id of the command to which the line is an answer. */
  readonly re?: string | number
  /** In an answer about a job: its result, and the members that keep it. */
  readonly result?: unknown
  readonly replicas?: readonly string[]
  /** The name of a signal, an event or a record; the content of an event, base64. */
  readonly name?: string
  readonly payload?: string
  readonly records?: readonly RecordLine[]
}

/** A member in a line. `tag`: base64. Agents of other systems have no location and no tag. */
export interface NodeLine {
  readonly id: string
  readonly incarnation: number
  readonly addresses: readonly string[]
  readonly location?: string
  readonly tag?: string
  readonly reach?: string
  /** In a pool with reliable joins. */
  readonly rank?: number
}

/** A record in a line. `value`: base64; null if the record was withdrawn. */
export interface RecordLine {
  readonly name: string
  readonly owner: string
  readonly version: number
  readonly value: string | null
}

export interface NodeProcess {
  readonly child: ChildProcessWithoutNullStreams
  readonly id: string
  readonly address: string
  /**
   * Time of the start of the process, and time at which the process reported its entry into the
   * pool, Unix ms.
   */
  readonly spawned: number
  readonly entered: number
}

export interface NodeCommand {
  /** The entry of the command line. */
  readonly bin: string
  /** Flags of Node, such as `--cpu-prof`. */
  readonly flags?: readonly string[]
  /** Default: `join`. */
  readonly command?: 'join' | 'work'
  readonly pool: string
  /** Address of the introducer; undefined: the node founds a pool. */
  readonly introducer?: string | undefined
  /** Further arguments of the command. */
  readonly args: readonly string[]
  /**
   * A program with its arguments that runs the node somewhere else, such as `nsenter`. The program
   * must replace itself by the node (exec).
   */
  readonly within?: readonly string[]
  /** Additional variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface NodeListener {
  /** Called with every line of the output. The id is empty before `started`. */
  readonly line: (id: string, line: Line) => void
  /** Called with every line on standard error. */
  readonly complaint: (text: string) => void
  /** Called when the process has ended, with its exit status or signal. */
  readonly ended: (id: string, how: number | NodeJS.Signals | null) => void
}

/**
 * Longest time that a process may take to enter its pool, ms, on a machine that is busy with many
 * starts.
 */
export const START_TIMEOUT = 120_000

/** Starts a node. Resolves when it has entered its pool. */
export function startNode(
  { bin, flags = [], command: name = 'join', pool, introducer, args, within: outer = [], env = {} }: NodeCommand,
  listener: NodeListener,
): Promise<NodeProcess> {
  const spawned = Date.now()
  const bootstrap = introducer === undefined ? [] : ['--bootstrap', introducer]
  const [command = '', ...rest] = [...outer, process.execPath, ...flags, bin, name, pool, '--json', ...bootstrap, ...args]
  const child = keep(spawn(command, rest, { env: { ...process.env, ...env } }))
  const { promise, resolve, reject } = Promise.withResolvers<NodeProcess>()
  let [id, complaint] = ['', '']
  child.once('error', reject)
  child.once('exit', (code, signal) => {
    listener.ended(id, code ?? signal)
    reject(new Error(`jel ${name} ended with ${code ?? signal}: ${complaint}`))
  })
  child.stdin.on('error', () => {
    // A command may go to a process that was killed a moment ago, as part of the measurement.
  })
  createInterface(child.stderr).on('line', (text) => listener.complaint((complaint = text)))
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as Line
    if (line.event === 'started' && line.node !== undefined) {
      id = line.node.id
      resolve({ child, id, address: line.node.addresses[0] ?? '', spawned, entered: line.time })
    }
    listener.line(id, line)
  })
  return within(START_TIMEOUT, `"started" of jel ${name}`, promise)
}

export type StartNode = typeof startNode
