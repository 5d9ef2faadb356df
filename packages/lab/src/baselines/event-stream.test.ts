import type { Member } from '@jel/protocol'
import { describe, expect, it } from 'vitest'
import { EventStream, PoolEvent } from './event-stream.ts'

const member: Member = {
  id: 'n',
  incarnation: 1,
  addresses: [],
  location: '',
  tag: new Uint8Array(),
  constants: new Map(),
  reach: 'direct',
  joinedAt: 0,
}
const events = Array.from({ length: 10 }, (_, time) => new PoolEvent(time, 'joined', member))

function stream(...times: readonly number[]): EventStream {
  const made = new EventStream()
  for (const time of times) made.add(events[time] as PoolEvent)
  return made
}

function times(found: readonly PoolEvent[]): number[] {
  return found.map(({ time }) => time)
}

describe('EventStream', () => {
  it('knows the first missing event, whatever the order of arrival', () => {
    expect(stream(0, 1, 3).next).toBe(2)
    expect(stream(3, 1, 0, 2).next).toBe(4)
  })

  it('returns no event after a gap', () => {
    expect(times(stream(0, 1, 3, 4).from(0))).toEqual([0, 1])
    expect(times(stream(0, 1, 3, 4, 6).from(3))).toEqual([3, 4])
  })

  it('does not keep purged events, and does not wait for them', () => {
    const purged = stream(0, 1, 2, 5)
    purged.forget(4)
    expect(purged.next).toBe(4)
    purged.add(events[1] as PoolEvent)
    purged.add(events[4] as PoolEvent)
    expect(purged.next).toBe(6)
    expect(times(purged.from(0))).toEqual([4, 5])
  })
})
