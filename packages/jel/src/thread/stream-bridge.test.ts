import { MessageChannel } from 'node:worker_threads'
import { defaultLogger } from '@libp2p/logger'
import { AbstractStream, type SendResult } from '@libp2p/utils'
import { expect, test } from 'vitest'
import { STREAM_WINDOW, type Piece } from './messages.ts'
import { bridge } from './stream-bridge.ts'

/** The host's end of a stream, to which its peer says what the test says. */
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

test('what was received while the application was behind comes before the end, though both ends are closed by then', async () => {
  const stream = new HostStream()
  const { port1, port2 } = new MessageChannel()
  const pieces: Piece[] = []
  port2.on('message', (piece: Piece) => pieces.push(piece))
  const bytes = (): number => pieces.reduce((sum, piece) => sum + (piece.type === 'data' ? piece.data.byteLength : 0), 0)
  bridge(stream, port1)

  stream.onData(new Uint8Array(STREAM_WINDOW))
  stream.onData(new Uint8Array(1_000))
  await stream.close()
  stream.onRemoteCloseWrite()
  await expect.poll(bytes).toBe(STREAM_WINDOW)
  expect(pieces.map(({ type }) => type)).not.toContain('closed')

  port2.postMessage({ type: 'taken', bytes: STREAM_WINDOW } satisfies Piece)
  await expect.poll(() => pieces.at(-1)?.type).toBe('closed')
  expect(bytes()).toBe(STREAM_WINDOW + 1_000)
  port2.close()
})
