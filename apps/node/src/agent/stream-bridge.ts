import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { drained, type Pool, type Stream } from '@jel/jel'
import { listenPrivately, streamPath } from '../base/local-sockets.ts'

/** The time within which the program must connect to the stream that it asked for, ms. Guess. */
const FETCH_TIME = 30_000

/**
 * Opens a stream to a member, and offers it as a local socket that takes one connection. Returns
 * the socket's path.
 */
export async function openStream(pool: Pool, node: string, protocol: string, signal: AbortSignal): Promise<string> {
  const stream = await pool.open(node, protocol, { signal })
  const server = createServer({ allowHalfOpen: true })
  const path = streamPath()
  const timer = setTimeout(() => {
    server.close()
    stream.abort(new Error('nobody fetched the stream'))
  }, FETCH_TIME).unref()
  server.once('connection', (socket: Socket) => {
    clearTimeout(timer)
    server.close()
    void join(stream, socket)
  })
  try {
    await listenPrivately(server, path)
  } catch (error) {
    clearTimeout(timer)
    stream.abort(new Error('there is no local socket for the stream'))
    throw error
  }
  server.unref()
  return path
}

/**
 * Connects each stream that members open for `protocol` to the local socket at `path`. A program
 * listens there. The first line names the member: `{"from":"12D3…","protocol":"/render/1.0.0"}`.
 */
export async function handleStreams(pool: Pool, protocol: string, path: string): Promise<void> {
  await pool.handle(protocol, async (stream, from) => {
    const socket = connect({ path, allowHalfOpen: true })
    await once(socket, 'connect')
    socket.write(`${JSON.stringify({ from, protocol })}\n`)
    await join(stream, socket)
  })
}

/** Copies in both directions until both have ended. An error on one side aborts the other. */
async function join(stream: Stream, socket: Socket): Promise<void> {
  // An error of the socket counts even while nothing is read or written there.
  socket.on('error', (error) => stream.abort(error))
  try {
    await Promise.all([toSocket(stream, socket), toStream(socket, stream)])
  } catch (error) {
    const reason = error instanceof Error ? error : new Error(String(error))
    stream.abort(reason)
    socket.destroy()
  }
}

async function toSocket(stream: Stream, socket: Socket): Promise<void> {
  for await (const piece of stream) {
    if (socket.destroyed) throw new Error('the program has gone')
    if (!socket.write(piece instanceof Uint8Array ? piece : piece.subarray())) await once(socket, 'drain')
  }
  socket.end()
}

async function toStream(socket: Socket, stream: Stream): Promise<void> {
  for await (const piece of socket as AsyncIterable<Uint8Array>) {
    if (!stream.send(piece)) await drained(stream)
  }
  await stream.close()
}
