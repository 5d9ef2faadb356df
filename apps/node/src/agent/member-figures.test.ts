import type { Stream } from '@jel/jel'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Agent } from './agent.ts'
import { answerFigures, parseFigures } from './member-figures.ts'

const figures = { workers: 4, busy: 3, memory: 90_000_000, traffic: 12_345 }

describe('the figures of a member', () => {
  it('are read without the fields of a later release', () => {
    expect(parseFigures(JSON.stringify({ ...figures, load: 1 }))).toEqual(figures)
  })

  it('leave no stream five seconds later, though the asker does not end its side', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const handlers: ((stream: Stream) => Promise<void>)[] = []
    const handle = (_: string, handler: (stream: Stream) => Promise<void>): Promise<void> => Promise.resolve(void handlers.push(handler))
    const traffic = (): Promise<object> => Promise.resolve({ sent: 1, received: 2 })
    await answerFigures({ pool: { handle, traffic } } as unknown as Agent)
    const stream = Object.assign(new EventTarget(), { send: vi.fn(), abort: vi.fn<() => void>(), close: () => Promise.resolve() })
    await handlers[0]!(stream as unknown as Stream)
    expect(stream.send).toHaveBeenCalledOnce()
    vi.advanceTimersByTime(4_999)
    expect(stream.abort).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(stream.abort).toHaveBeenCalledOnce()
  })

  it.each([
    ['no object', 'null'],
    ['a list', '[1,2,3,4]'],
    ['a missing number', JSON.stringify({ ...figures, busy: undefined })],
    ['a text', JSON.stringify({ ...figures, workers: '4' })],
    ['a negative number', JSON.stringify({ ...figures, memory: -1 })],
    ['a number that is too large to be exact', '{"workers":1,"busy":0,"memory":1e300,"traffic":1}'],
    ['no JSON', 'hello'],
  ])('are refused if they have %s', (_, text) => {
    expect(() => parseFigures(text)).toThrow(/figures|JSON/u)
  })
})
