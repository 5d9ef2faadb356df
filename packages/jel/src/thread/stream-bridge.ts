import type { MessagePort } from 'node:worker_threads'
import { StreamResetError, type Stream } from '@libp2p/interface'
import { drained } from '../drain.ts'
import { fromFault, toFault } from './faults.ts'
import { STREAM_WINDOW, type Piece } from './messages.ts'
import { postData } from './port-stream.ts'

/** Joins a stream of the host to the port of the application's end. */
export function bridge(stream: Stream, port: MessagePort): void {
  /** Bytes sent to the application that it has not taken. */
  let sent = 0
  /** Whether the stream has ended or closed. */
  let isOver = false
  let isClosed = false
  /** The application's requests, executed one after the other. */
  let work: Promise<void> = Promise.resolve()
  const post = (piece: Piece): void => port.postMessage(piece)

  const handOn = async (data: Uint8Array): Promise<void> => {
    if (!stream.send(data)) await drained(stream)
    post({ type: 'taken', bytes: data.byteLength })
  }
  const finish = async (): Promise<void> => {
    await stream.close()
    post({ type: 'finished' })
  }
  const resume = (): void => {
    try {
      stream.resume()
    } catch (error) {
      fail(error)
    }
  }
  const fail = (error: unknown): void => stream.abort(error instanceof Error ? error : new Error(String(error)))
  const queue = (step: () => Promise<void>): void => {
    work = work.then(step).catch(fail)
  }

  port.on('message', (piece: Piece) => {
    switch (piece.type) {
      case 'data':
        queue(() => handOn(piece.data))
        return
      case 'taken':
        sent -= piece.bytes
        if (sent < STREAM_WINDOW && stream.readStatus === 'paused') resume()
        return
      case 'end':
        queue(finish)
        return
      case 'closedRead':
        void stream.closeRead().catch(fail)
        return
      case 'aborted':
        stream.abort(fromFault(piece.fault))
        return
      case 'finished':
      case 'closed':
    }
  })
  port.on('close', () => {
    if (stream.status === 'open') stream.abort(new Error('the application has ended the stream'))
  })

  stream.addEventListener('message', ({ data }) => {
    sent += data.byteLength
    postData(port, data)
    if (sent >= STREAM_WINDOW && stream.readStatus === 'readable') stream.pause()
  })
  const end = (): void => {
    isOver = true
    if (stream.status === 'open' || stream.status === 'closing') post({ type: 'end' })
    else if (stream.status === 'closed') closed(undefined)
  }
  stream.addEventListener('end', end)
  const closed = (error: Error | undefined): void => {
    isOver = true
    // Data that arrived while the application was behind comes before the end of the stream.
    if (isClosed || (error === undefined && !stream.readableEnded)) return
    isClosed = true
    post(error === undefined ? { type: 'closed' } : { type: 'aborted', fault: toFault(error) })
    // The port still delivers posted messages.
    port.close()
  }
  stream.addEventListener('close', ({ error }) => closed(error))
  // A stream that ended while it was being opened raises no event. Its received data comes first.
  queueMicrotask(() => {
    const { status } = stream
    if (isOver) return
    if (status === 'closed') closed(undefined)
    else if (status === 'reset' || status === 'aborted') closed(new StreamResetError())
    else if (stream.readableEnded) end()
  })
}
