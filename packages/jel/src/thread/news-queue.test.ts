import type { OverlayNotification } from '@jel/overlay'
import { expect, test } from 'vitest'
import { member } from '../../test/fake-overlay.ts'
import { NewsQueue } from './news-queue.ts'

function news(id: string): OverlayNotification {
  return { type: 'joined', member: member(id) }
}

function queueOf(limit: number): { queue: NewsQueue; log: string[] } {
  const log: string[] = []
  const queue = new NewsQueue(limit, {
    send: (batch) => log.push(batch.map((each) => (each.type === 'joined' ? each.member.id : each.type)).join('')),
    gap: (lost) => log.push(`gap of ${lost}`),
  })
  return { queue, log }
}

test('the news of one turn goes in one message, in order', async () => {
  const { queue, log } = queueOf(10)
  for (const id of ['A', 'B']) queue.add(news(id))
  await Promise.resolve()
  queue.add(news('C'))
  queue.flush()
  expect(log).toEqual(['AB', 'C'])
})

test('news beyond the limit is dropped until all sent news is taken; then the gap is reported', () => {
  const { queue, log } = queueOf(3)
  for (const id of ['A', 'B', 'C', 'D', 'E']) queue.add(news(id))
  queue.flush()
  queue.taken(2)
  queue.add(news('F'))
  queue.flush()
  expect(log).toEqual(['ABC'])
  queue.taken(1)
  expect(log).toEqual(['ABC', 'gap of 3'])
  queue.add(news('G'))
  queue.flush()
  expect(log.at(-1)).toBe('G')
  expect(queue.idle).toBe(false)
})
