import { MessageChannel } from 'node:worker_threads'
import { defaultLogger } from '@libp2p/logger'
import { AbstractStream, type SendResult } from '@libp2p/utils'
import { expect, test } from 'vitest'
import { STREAM_WINDOW, type Piece } from './messages.ts'
import { bridge } from './stream-bridge.ts'

/** The host's end of a stream, with the test as its peer. */
class HostStream extends AbstractStream {
  constructor() {
    super({ id: 'one', protocol: '/echo/1.0.0', direction: 'inbound', log: defaultLogger().forComponent('test') })
  }

  sendData(data: { readonly byteLength: number }): SendResult {
    return { sentBytes: data.byteLength, canSendMore: true }
  }

  sendReset(): void {}
  sendPause(): void {}
  sendResume(): void {}
  async sendCloseWrite(): Promise<void> {}
  async sendCloseRead(): Promise<void> {}
}

interface Bridged {
  readonly stream: HostStream
  readonly pieces: Piece[]
  /** Bytes sent to the application so far. */
  bytes(): number
  /** Acknowledges bytes for the application. */
  takes(bytes: number): void
  close(): void
}

function bridged(): Bridged {
  const stream = new HostStream()
  const { port1, port2 } = new MessageChannel()
  const pieces: Piece[] = []
  port2.on('message', (piece: Piece) => pieces.push(piece))
  bridge(stream, port1)
  return {
    stream,
    pieces,
    bytes: () => pieces.reduce((sum, piece) => sum + (piece.type === 'data' ? piece.data.byteLength : 0), 0),
    takes: (bytes) => port2.postMessage({ type: 'taken', bytes } satisfies Piece),
    close: () => port2.close(),
  }
}

test('bytes that wait for a slow application come before the end, even if both ends are closed by then', async () => {
  const { stream, pieces, bytes, takes, close } = bridged()
  stream.onData(new Uint8Array(STREAM_WINDOW))
  stream.onData(new Uint8Array(1_000))
  await stream.close()
  stream.onRemoteCloseWrite()
  await expect.poll(bytes).toBe(STREAM_WINDOW)
  expect(pieces.map(({ type }) => type)).not.toContain('closed')

  takes(STREAM_WINDOW)
  await expect.poll(() => pieces.at(-1)?.type).toBe('closed')
  expect(bytes()).toBe(STREAM_WINDOW + 1_000)
  close()
})

test('a slow application for which no more bytes wait gets the end at once', async () => {
  const { stream, pieces, bytes, close } = bridged()
  stream.onData(new Uint8Array(STREAM_WINDOW))
  expect(stream.readStatus).toBe('paused')
  await stream.close()
  stream.onRemoteCloseWrite()
  await expect.poll(() => pieces.at(-1)?.type).toBe('closed')
  expect(bytes()).toBe(STREAM_WINDOW)
  close()
})
