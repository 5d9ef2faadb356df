import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Command } from '../commands/table.ts'
import type { Answer, NodeEvent } from '../events/events.ts'
import { COMMAND_LIMIT, readLines } from '../base/lines.ts'
import { codeOf } from '../base/usage-error.ts'
import { controlPaths, removeSocket, socketMark, socketProblem } from '../base/local-sockets.ts'
import { oneLine } from '../base/text.ts'
import { durationText } from '../events/quantity.ts'

/**
 * The longest line that a node may send, bytes. Guess: the list of 50,000 members with full tags.
 */
const LINE_LIMIT = 256 * 1024 * 1024

/** The longest line that nodes of earlier releases take, bytes. */
const FORMER_LIMIT = 1024 * 1024

/** The flags by which a command finds a running node. */
export interface NodeFlags {
  /** The end of the node's id, if several nodes run in one pool. */
  readonly node?: string
  /** The path of the node's control socket. */
  readonly control?: string
}

/**
 * The node that a command asks if several run here. `one`: the flags have to name the node. `any`:
 * all nodes would give the same answer, so the command asks the node that has been in the pool for
 * longest.
 */
export type WhichNode = 'one' | 'any'

/** How long each of several nodes may take to describe itself, ms. Guess. */
const DESCRIPTION_TIMEOUT = 1_000

/** Returns the end of the id of the node that the flags or the environment name. */
export function namedNode({ node = process.env['JEL_NODE'] }: NodeFlags): string | undefined {
  return node === '' ? undefined : node
}

/** A node refused a command, or there is no node that could take it. */
export class NodeError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** A connection to the control socket of a running node. */
export class ControlClient implements AsyncDisposable {
  readonly #socket: Socket
  readonly #listeners = new Set<(event: Answer) => void>()
  readonly #ended = Promise.withResolvers<void>()
  /**
   * Each function gives up one command that still waits for its answer. Undefined: the connection
   * has ended.
   */
  #waiting: Set<() => void> | undefined = new Set()
  #commands = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('error', () => {})
    void this.#read()
  }

  /**
   * Connects to this user's node in a pool. Returns undefined if there is none. Throws if there are
   * several and neither the flags nor JEL_NODE name one, or if another user could listen at the
   * socket.
   */
  static async find(pool: string, flags: NodeFlags, which: WhichNode = 'one'): Promise<ControlClient | undefined> {
    const { control } = flags
    if (control !== undefined) {
      if (control === '') throw new Error('--control: the path is empty')
      const check = (): void => {
        const problem = socketProblem(control)
        if (problem !== undefined) throw new Error(`--control ${control}: ${problem}`)
      }
      check()
      const socket = await open(control)
      if (typeof socket === 'string') throw new NodeError('NO_NODE', `no node listens at ${control}: ${socket}`)
      const client = new ControlClient(socket)
      try {
        // The first check also passes if there is no file. Another user may have made the socket
        // after it.
        check()
      } catch (error) {
        socket.destroy()
        throw error
      }
      return client
    }
    const found: Candidate[] = []
    for (const { path, id } of controlPaths(pool, namedNode(flags))) {
      if (socketProblem(path) !== undefined) continue
      const mark = socketMark(path)
      const socket = await open(path)
      if (typeof socket !== 'string') found.push({ id, client: new ControlClient(socket) })
      else if (socket === 'ECONNREFUSED') removeSocket(path, mark)
    }
    const [first, ...others] = found
    if (others.length === 0) return first?.client
    const described = await Promise.all(found.map(describe))
    const [oldest] = described.filter(({ started }) => started < Infinity).toSorted((one, other) => one.started - other.started)
    const chosen = which === 'any' ? oldest : undefined
    for (const { client } of found) if (client !== chosen?.client) client.#socket.destroy()
    if (chosen !== undefined) return chosen.client
    const texts = described.map(({ id, about }) => `${id}, ${about}`).join('; ')
    throw new NodeError(
      'NO_NODE',
      `${found.length} nodes of the pool ${pool} run here: name one with --node or JEL_NODE, by the end of its id: ${texts}`,
    )
  }

  /** Like `find`, but throws an Error if there is no node. */
  static async connect(pool: string, flags: NodeFlags, which: WhichNode = 'one'): Promise<ControlClient> {
    const client = await ControlClient.find(pool, flags, which)
    if (client !== undefined) return client
    const node = namedNode(flags)
    if (node === undefined) throw new NodeError('NO_NODE', `no node of the pool ${pool} runs here: jel join ${pool} starts one`)
    const ids = controlPaths(pool).map(({ id }) => id)
    throw new NodeError('NO_NODE', `no node ${node} of the pool ${pool} runs here${ids.length > 0 ? `, but ${ids.join(', ')}` : ''}`)
  }

  /** Resolves when the node has closed the connection. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /**
   * Calls `listener` with each event: first with events that describe the present state, then with
   * each new event. Returns the function that ends the calls.
   */
  listen(listener: (event: Answer) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Gives a command, and waits for its last answer. With `report` the last answer is `done`, and
   * `report` takes the answers before it. Throws NodeError.
   */
  async ask(command: Command, report?: (event: Answer) => void): Promise<NodeEvent> {
    const id = ++this.#commands
    const line = `${JSON.stringify({ ...command, id })}\n`
    if (Buffer.byteLength(line) > COMMAND_LIMIT) {
      const advice = 'with --bootstrap it needs no node'
      throw new NodeError('LINE_TOO_LONG', `a node takes ${COMMAND_LIMIT} bytes of JSON at a time, and this command has more; ${advice}`)
    }
    const { promise, resolve, reject } = Promise.withResolvers<NodeEvent>()
    const stop = this.listen((event) => {
      // A node of an earlier release takes shorter lines, and does not say whose line was too long.
      if (event.event === 'error' && event.code === 'LINE_TOO_LONG' && line.length > FORMER_LIMIT) resolve(event)
      if (!('re' in event) || event.re !== id) return
      const { re: _, ...answer } = event
      if (report === undefined || event.event === 'error' || (event.event === 'done' && !('job' in event))) resolve(answer as NodeEvent)
      else report(answer as Answer)
    })
    const giveUp = (): void => reject(new NodeError('NO_NODE', 'the node closed the connection'))
    if (this.#waiting === undefined) giveUp()
    else this.#waiting.add(giveUp)
    this.#socket.write(line)
    try {
      const answer = await promise
      if (answer.event === 'error') throw new NodeError(answer.code, answer.message)
      return answer
    } finally {
      stop()
      this.#waiting?.delete(giveUp)
    }
  }

  /**
   * Cancels the last command. The node notices the end of a client only when it writes to the
   * client. A command may have nothing to write for hours.
   */
  cancel(): void {
    this.#socket.write(`${JSON.stringify({ command: 'cancel', of: this.#commands })}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy()
    await this.#ended.promise
  }

  async #read(): Promise<void> {
    try {
      for await (const line of readLines(this.#socket, LINE_LIMIT)) {
        if (!('text' in line)) continue
        const event = JSON.parse(line.text) as Answer
        for (const listener of this.#listeners) listener(event)
      }
    } catch {
      // A broken connection counts as an end.
    }
    const waiting = this.#waiting
    this.#waiting = undefined
    for (const giveUp of waiting ?? []) giveUp()
    this.#ended.resolve()
  }
}

/** One of several nodes of a pool on this machine. */
interface Candidate {
  /** The end of its id. */
  readonly id: string
  readonly client: ControlClient
}

/**
 * Adds the time at which a node entered, Unix ms, and its location and age as text. A node that
 * does not answer has no such time: `started` is infinite.
 */
async function describe(candidate: Candidate): Promise<Candidate & { readonly started: number; readonly about: string }> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), DESCRIPTION_TIMEOUT)
  const asked = candidate.client.ask({ command: 'status' }).catch(() => undefined)
  const answer = await Promise.race([asked, late.promise])
  clearTimeout(timer)
  if (answer?.event !== 'status') return { ...candidate, started: Infinity, about: 'which does not answer' }
  const { started, node } = answer
  return { ...candidate, started, about: `${oneLine(node.location)}, for ${durationText(Date.now() - started)}` }
}

/** Returns the socket, or the code of the error. */
async function open(path: string): Promise<Socket | string> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    return codeOf(error)
  }
}
