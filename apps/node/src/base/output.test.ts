import { Writable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { flushed, Output } from './output.ts'

/** A stream whose reader takes nothing until `take` is called. */
function unread(): { stream: NodeJS.WriteStream; take: () => void } {
  let take = (): void => {}
  const stream = new Writable({ write: (_chunk, _encoding, done) => void (take = done) }) as unknown as NodeJS.WriteStream
  return { stream, take: () => take() }
}

it('output waits for its reader, for as long as that takes, or for the limit', async () => {
  vi.useFakeTimers()
  try {
    const { stream, take } = unread()
    stream.write('a result')
    const ends: string[] = []
    void flushed(stream).then(() => ends.push('read'))
    void flushed(stream, 2_000).then(() => ends.push('limit'))
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(ends).toEqual(['limit'])
    take()
    await vi.advanceTimersByTimeAsync(0)
    take()
    await vi.advanceTimersByTimeAsync(0)
    take()
    await vi.advanceTimersByTimeAsync(0)
    expect(ends).toEqual(['limit', 'read'])
  } finally {
    vi.useRealTimers()
  }
})

it('output waits no longer once it can not be written', async () => {
  const { stream } = unread()
  stream.on('error', () => {})
  stream.write('a result')
  const end = flushed(stream)
  stream.destroy(new Error('the reader is gone'))
  await end
})

it.each(['gone', 'failed', 'behind'] as const)('a lost reader is reported once: %s', (reason) => {
  const { stream } = unread()
  const lost: string[] = []
  const output = new Output(stream, (each) => void lost.push(each), 10)
  if (reason !== 'behind') stream.emit('error', Object.assign(new Error(reason), { code: reason === 'gone' ? 'EPIPE' : 'ENOSPC' }))
  else stream.write('eleven bytes')
  for (let i = 0; i < 2; i++) output.check()
  output.line('more')
  expect(lost).toEqual([reason])
})
