import type { MessagePort } from 'node:worker_threads'
import { StreamResetError, type Stream } from '@libp2p/interface'
import { drained } from '../drained.ts'
import { fromFault, toFault } from './faults.ts'
import { STREAM_WINDOW, type Piece } from './messages.ts'
import { postData } from './port-stream.ts'

/** Joins a stream of the host to the port behind which the application has its end of it. */
export function bridge(stream: Stream, port: MessagePort): void {
  /** Bytes sent to the application, and not taken. */
  let sent = 0
  /** The application was told of the end. */
  let isOver = false
  let isClosed = false
  /** What the application wants: one after the other. */
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
    // What was received while the application was behind comes before its end.
    if (isClosed || (error === undefined && !stream.readableEnded)) return
    isClosed = true
    post(error === undefined ? { type: 'closed' } : { type: 'aborted', fault: toFault(error) })
    // What was posted is still delivered.
    port.close()
  }
  stream.addEventListener('close', ({ error }) => closed(error))
  // What ended while it was being opened does not say so again; first comes what it had received.
  queueMicrotask(() => {
    const { status } = stream
    if (isOver) return
    if (status === 'closed') closed(undefined)
    else if (status === 'reset' || status === 'aborted') closed(new StreamResetError())
    else if (stream.readableEnded) end()
  })
}
