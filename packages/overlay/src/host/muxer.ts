/**
 * yamux with bounds on the memory of a connection, and with fewer window updates.
 *
 * The library gathers a frame of any announced length. It queues answers to pings for a peer that
 * reads nothing. It takes 4 MiB on a stream that nobody reads, in any number of pieces. This module
 * bounds the length of a frame and of the queue, and joins pieces.
 *
 * The library also answers every piece of data with a window update. So each probe and each
 * acknowledgement costs one more packet of 82 bytes and one more encryption. The specification lets
 * the receiver choose the time of an update. Here, as in Go's implementation, the receiver waits
 * until half of the window is used up. Measured on 10 idle nodes: 214 to 244 B/s a node instead of
 * 409, headers included.
 */
import { yamux } from '@chainsafe/libp2p-yamux'
import type { Connection, StreamMuxerFactory } from '@libp2p/interface'
import { Uint8ArrayList } from 'uint8arraylist'
import { TurnTimeout } from '../base/turn-timeout.ts'
import { maxPieces } from './frame-pieces.ts'

/**
 * The private part of the library's streams that this file uses. In `state` 0 and 2 the stream has
 * not yet announced to the other side that it is open.
 */
interface YamuxStream {
  state: number
  recvWindow: number
  recvWindowCapacity: number
  /** The bytes that nobody has read yet. */
  readBuffer: Uint8ArrayList
  sendWindowUpdate(): void
  handleData(frame: unknown): void
}

interface YamuxMuxer {
  /** The bytes of an incomplete frame. */
  decoder?: { buffer: Uint8ArrayList }
  /** Bytes that came. A field of this file. */
  received?: number
  onData?: (bytes: Uint8Array | Uint8ArrayList) => void
  ping?: (options: { readonly signal: AbortSignal }) => Promise<number>
  _newStream?: (...parameters: readonly unknown[]) => YamuxStream
}

/**
 * Streams per connection in each direction. Guess: enough for the application. The overlay needs
 * four.
 */
const maxStreams = 256

/**
 * Bytes of the window of a stream. The specification gives the first window, and the library
 * enlarges it only if it knows the round trip time. The library also sends updates for bytes that
 * nobody reads, until they are 4 MiB.
 */
const window = 262_144

/** Longest frame, bytes: a header and a whole window. */
const maxFrameBytes = 12 + window

/**
 * Bytes that may wait on a connection for a peer that reads too slowly. Guess: all streams stop as
 * soon as the buffer is full, and a single stream puts at most one window there.
 */
const maxQueuedBytes = 4 * window

export function muxer(): () => StreamMuxerFactory {
  const create = yamux({
    enableKeepAlive: false, // 25 B/s a link (measured); the protocol has probes of its own
    maxInboundStreams: maxStreams,
    maxOutboundStreams: maxStreams,
    streamOptions: { maxStreamWindowSize: window },
  })
  return () => {
    const factory = create()
    const createMuxer = factory.createStreamMuxer.bind(factory)
    factory.createStreamMuxer = (connection) => {
      connection.maxWriteBufferLength = maxQueuedBytes
      const created = createMuxer(connection)
      const internals = created as unknown as YamuxMuxer
      bound(internals)
      const newStream = internals._newStream?.bind(created)
      if (newStream) internals._newStream = (...parameters) => thrifty(newStream(...parameters))
      return created
    }
    return factory
  }
}

/**
 * Returns whether the other end of a connection answers within this time, ms. Only turns of this
 * process count ({@link TurnTimeout}). On a slow line the question waits behind other bytes. The
 * other end confirms those bytes meanwhile. So any byte from the other end counts as an answer.
 */
export async function answers(connection: Connection, time: number): Promise<boolean> {
  const { muxer: used } = connection as Connection & { readonly muxer?: YamuxMuxer }
  if (used?.ping === undefined) return true
  const before = used.received
  const timeout = new TurnTimeout(time).begin()
  try {
    await used.ping({ signal: timeout.signal })
    return true
  } catch {
    return used.received !== before
  } finally {
    timeout.end()
  }
}

/** Bounds the bytes and the pieces of an incomplete frame. An error here ends the connection. */
function bound(muxer: YamuxMuxer): void {
  const { decoder } = muxer
  const onData = muxer.onData?.bind(muxer)
  if (decoder === undefined || onData === undefined) return
  let pieces = 0
  muxer.onData = (bytes) => {
    muxer.received = (muxer.received ?? 0) + bytes.byteLength
    onData(bytes)
    const { buffer } = decoder
    if (buffer.byteLength > maxFrameBytes) throw new Error(`a frame of more than ${maxFrameBytes} bytes`)
    pieces = buffer.byteLength === 0 ? 0 : pieces + 1
    if (pieces < maxPieces) return
    decoder.buffer = new Uint8ArrayList(buffer.subarray())
    pieces = 1
  }
}

/**
 * Sends a window update once half of the window is used up. Joins the pieces of unread bytes once
 * there are more than 1,024 pieces and one for every 64 bytes. Until then the pieces take only a
 * few times their bytes in memory. Joins stay rare, and cost little.
 */
function thrifty(stream: YamuxStream): YamuxStream {
  const update = stream.sendWindowUpdate.bind(stream)
  const handle = stream.handleData.bind(stream)
  let pieces = 0
  return Object.assign(stream, {
    sendWindowUpdate: () => {
      const isOpen = stream.state !== 0 && stream.state !== 2
      if (isOpen && stream.recvWindowCapacity > stream.recvWindow / 2) return
      update()
    },
    handleData: (frame: unknown) => {
      handle(frame)
      const { readBuffer } = stream
      pieces = readBuffer.byteLength === 0 ? 0 : pieces + 1
      if (pieces <= maxPieces + readBuffer.byteLength / 64) return
      stream.readBuffer = new Uint8ArrayList(readBuffer.subarray())
      pieces = 1
    },
  })
}
