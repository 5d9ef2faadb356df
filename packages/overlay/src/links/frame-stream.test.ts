import { setImmediate as turn } from 'node:timers/promises'
import { TypedEventEmitter, type Stream } from '@libp2p/interface'
import { expect, test } from 'vitest'
import { FrameStream } from './frame-stream.ts'
import { SendQueue } from './send-queue.ts'

/** A stream whose reader opens its window by a few bytes at a time. After each drain it is full. */
class Trickle extends TypedEventEmitter<Record<'drain' | 'close', Event>> {
  status = 'open'
  readonly writeStatus = 'writable'
  readonly remoteWriteStatus = 'writable'
  readonly writableNeedsDrain = true
  send(): boolean {
    return false
  }
  abort(): void {
    this.status = 'aborted'
  }
  async close(): Promise<void> {}
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: async () => await new Promise(() => {}) }
  }
}

test('waiting for a slow reader leaves no listeners on its stream', async () => {
  const stream = new Trickle()
  const queue = new SendQueue()
  const link = new FrameStream(stream as unknown as Stream, { maxFrameBytes: 4_096, queue }, { onFrame: () => {}, onEnd: () => {} })
  link.send(new Uint8Array(1_000))
  await turn()
  for (let update = 0; update < 500; update += 1) {
    stream.safeDispatchEvent('drain')
    await turn()
  }
  expect(stream.listenerCount('close')).toBeLessThan(4)
  link.abort(new Error('over'))
})
