import { jsonLine } from '../events/events.ts'
import { lstatSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { once } from 'node:events'
import type { Agent } from '../agent/agent.ts'
import { Session } from './session.ts'
import { listenPrivately, removeSocket, socketMark } from '../base/local-sockets.ts'
import { codeOf } from '../base/usage-error.ts'

/**
 * The limit of simultaneous connections. Guess: a monitor, a shell and a few scripts need fewer.
 */
const CONNECTIONS_LIMIT = 64
/**
 * Maximum number of bytes that may wait for a connection that does not read, besides the events of
 * the present state. Guess: twenty times the events of a pool of 1,000 members.
 */
const BACKLOG_LIMIT = 16 * 1024 * 1024
/** The time that connections have to receive the news of the leave, ms. Guess. */
const LAST_WORDS = 500

/**
 * The control socket of a node. Each connection is a session. The standard streams of `jel join
 * --json` are a session as well. Only this user can connect.
 */
export class ControlServer implements AsyncDisposable {
  readonly path: string
  readonly #agent: Agent
  readonly #server: Server
  readonly #sessions = new Map<Socket, Session>()

  private constructor(agent: Agent, path: string) {
    this.path = path
    this.#agent = agent
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#serve(socket))
    this.#server.maxConnections = CONNECTIONS_LIMIT
    this.#server.on('drop', () =>
      agent.log.warn('CONTROL_LIMIT', `more than ${CONNECTIONS_LIMIT} connections to the control socket: one is refused`),
    )
  }

  /**
   * Opens the socket. Throws if the path is not available: somebody listens there, or the folder is
   * not this user's.
   */
  static async open(agent: Agent, path: string): Promise<ControlServer> {
    await removeStale(path)
    const server = new ControlServer(agent, path)
    await server.#listen()
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    const closed = [...this.#sessions].map(async ([socket, session]) => {
      session.close()
      socket.setTimeout(LAST_WORDS, () => socket.destroy())
      socket.destroySoon()
      await once(socket, 'close')
    })
    await Promise.all(closed)
  }

  async #listen(): Promise<void> {
    await listenPrivately(this.#server, this.path)
    // An error of the server does not end the node.
    this.#server.on('error', () => {})
    // The server does not keep the process of an ended node alive.
    this.#server.unref()
  }

  async #serve(socket: Socket): Promise<void> {
    const { log } = this.#agent
    log.debug('CONTROL_CONNECTED', 'a connection to the control socket')
    socket.on('error', () => {})
    // The session writes the present state at once, however large it is. No reader is that fast.
    let limit = Infinity
    const session = new Session(this.#agent, (event) => {
      if (socket.destroyed) return
      // One line alone may be longer: the result of a job.
      if (socket.writableLength <= limit) {
        socket.write(`${jsonLine(event, this.#agent.pool.name)}\n`)
        return
      }
      log.warn('CONTROL_BEHIND', 'a connection to the control socket is closed: it does not read')
      socket.destroy()
    })
    limit = socket.writableLength + BACKLOG_LIMIT
    this.#sessions.set(socket, session)
    socket.on('close', () => {
      log.debug('CONTROL_CLOSED', 'a connection to the control socket has ended')
      this.#sessions.delete(socket)
      session.close()
    })
    // A client that sends no more commands still gets the answers.
    await session.follow(socket)
    await session.idle()
    socket.end()
  }
}

/** Removes the socket that a killed process left behind. */
async function removeStale(path: string): Promise<void> {
  if (process.platform === 'win32') return
  // A connect to a file of another kind fails like a connect to a socket whose process is gone.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === false)
    throw new Error(`${path} can't be a control socket: another file is there`)
  const mark = socketMark(path)
  const code = await new Promise<string | undefined>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.on('error', (error) => resolve(codeOf(error)))
  })
  if (code === undefined) throw new Error(`${path} is in use by another node`)
  if (code === 'ECONNREFUSED') removeSocket(path, mark)
  else if (code !== 'ENOENT') throw new Error(`${path} can't be a control socket: ${code} in ${dirname(path)}`)
}
