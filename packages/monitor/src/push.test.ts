import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { VirtualNetwork } from '../test/virtual-network.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a push that is opening while its monitor closes ends with an error, and leaves no stream', async () => {
  const network = new VirtualNetwork()
  const [consumer, producer] = [await network.join('n0@site'), await network.join('n1@site')]
  consumer.monitor.accept(['value'], () => {})
  const push = producer.monitor.push(consumer.self.id, { attributes: ['value'] })
  void producer.monitor.close()
  await expect(push).rejects.toMatchObject({ code: 'MONITOR_CLOSED' })
  await vi.advanceTimersByTimeAsync(0)
  expect([consumer.streams.size, producer.streams.size]).toEqual([0, 0])
})
