import type { Stream } from '@libp2p/interface'
import { afterEach, expect, it, vi } from 'vitest'
import { Throttle } from './throttle.ts'

afterEach(() => void vi.restoreAllMocks())

it('a pause that is over before it begins causes no warning of a negative time-out', async () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const stream = Object.assign(new EventTarget(), { status: 'open', readStatus: 'readable', pause: vi.fn(), resume: vi.fn() })
  const throttle = new Throttle(stream as unknown as Stream)
  throttle.pause(-5)
  const frames = throttle.pass(
    (async function* () {
      yield await Promise.resolve(1)
    })(),
  )
  expect((await frames.next()).value).toBe(1)
  expect(warnings).not.toHaveBeenCalled()
})
