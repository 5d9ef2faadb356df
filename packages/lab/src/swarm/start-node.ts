/**
 * One node as a user starts it: a process of `jel join <pool> --json`, or of another command with
 * the same output.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { keep } from '../base/child.ts'
import { within } from '../base/wait.ts'

/** The fields of a `--json` line that this package uses. */
export interface Line {
  readonly event: string
  /** Unix milliseconds by the node's own clock. */
  readonly time: number
  readonly node?: { readonly id: string; readonly incarnation: number; readonly addresses: readonly string[] }
  readonly nodes?: readonly { readonly id: string; readonly incarnation: number }[]
  readonly election?: string
  readonly epoch?: number
  readonly code?: string
  readonly message?: string
  /** The id of the command that it answers. */
  readonly re?: string | number
  /** Of a job: its result, and the members that keep it. */
  readonly result?: unknown
  readonly replicas?: readonly string[]
}

/** A node of a swarm. Times are ms by the swarm's clock. */
export interface Started {
  readonly id: string
  /** When the call to start it was made. */
  readonly called: number
  /** When it had entered the pool. */
  readonly entered: number
}

export interface NodeProcess {
  readonly child: ChildProcessWithoutNullStreams
  readonly id: string
  readonly address: string
  /**
   * When the process was started, and when it reported that it had entered the pool: Unix
   * milliseconds.
   */
  readonly spawned: number
  readonly entered: number
}

export interface NodeCommand {
  /** The command line's entry. */
  readonly bin: string
  /** Node's own flags, such as `--cpu-prof`. */
  readonly flags?: readonly string[]
  /** Default: `join`. */
  readonly command?: 'join' | 'work'
  readonly pool: string
  /** Address of its introducer. Undefined: it founds a pool. */
  readonly introducer?: string | undefined
  /** Further arguments of the command. */
  readonly args: readonly string[]
  /**
   * A program that runs the node somewhere else, such as `nsenter`, with its arguments. It must
   * replace itself by the node (exec).
   */
  readonly within?: readonly string[]
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface NodeListener {
  /** Every line, `started` included; the id is empty before that. */
  readonly line: (id: string, line: Line) => void
  /** A line on standard error. */
  readonly complaint: (text: string) => void
  /** The process is gone: exit status or signal. */
  readonly ended: (id: string, how: number | NodeJS.Signals | null) => void
}

/**
 * Longest that one process may take from start to the pool, on a machine that is busy with starting
 * all of them.
 */
export const START_TIMEOUT = 120_000

/** Starts a node and waits until it has entered its pool. */
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
    // A command to a process that was killed a moment ago, as part of the measurement.
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
