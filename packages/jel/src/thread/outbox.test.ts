import type { OverlayNotification } from '@jel/overlay'
import { expect, test } from 'vitest'
import { member } from '../../test/fake-overlay.ts'
import { Outbox } from './outbox.ts'

function news(id: string): OverlayNotification {
  return { type: 'joined', member: member(id) }
}

function outboxOf(limit: number): { outbox: Outbox; log: string[] } {
  const log: string[] = []
  const outbox = new Outbox(limit, {
    send: (batch) => log.push(batch.map((each) => (each.type === 'joined' ? each.member.id : each.type)).join('')),
    gap: (lost) => log.push(`gap of ${lost}`),
  })
  return { outbox, log }
}

test('what comes in one turn goes in one message, in order', async () => {
  const { outbox, log } = outboxOf(10)
  for (const id of ['A', 'B']) outbox.add(news(id))
  await Promise.resolve()
  outbox.add(news('C'))
  outbox.flush()
  expect(log).toEqual(['AB', 'C'])
})

test('beyond the limit news are dropped, until all that were sent are taken: then the gap is told', () => {
  const { outbox, log } = outboxOf(3)
  for (const id of ['A', 'B', 'C', 'D', 'E']) outbox.add(news(id))
  outbox.flush()
  outbox.taken(2)
  outbox.add(news('F'))
  outbox.flush()
  expect(log).toEqual(['ABC'])
  outbox.taken(1)
  expect(log).toEqual(['ABC', 'gap of 3'])
  outbox.add(news('G'))
  outbox.flush()
  expect(log.at(-1)).toBe('G')
  expect(outbox.idle).toBe(false)
})
