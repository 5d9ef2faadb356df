import type { Connection } from '@libp2p/interface'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RelayDials } from './relay-dials.ts'

const connection = {} as Connection

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

describe('dials of a relay for others', () => {
  it('of one target join', async () => {
    let dials = 0
    const made = new RelayDials(async () => {
      dials += 1
      return await Promise.resolve(connection)
    })
    expect(await Promise.all([made.connect('a'), made.connect('a'), made.connect('a')])).toEqual([connection, connection, connection])
    expect(dials).toBe(1)
  })

  it('are not repeated for half a minute if the target does not answer', async () => {
    let dials = 0
    const made = new RelayDials(async () => {
      dials += 1
      return await Promise.reject(new Error('silence'))
    })
    for (let turn = 0; turn < 200; turn++) expect(await made.connect('a')).toBeUndefined()
    expect(dials).toBe(1)
    vi.advanceTimersByTime(30_000)
    await made.connect('a')
    expect(dials).toBe(2)
  })

  it('are bounded for all targets together, at a time and a second', async () => {
    const under: (() => void)[] = []
    const slow = new RelayDials(async () => await new Promise((resolve) => under.push(() => resolve(connection))))
    const asked = Array.from({ length: 50 }, async (_, target) => await slow.connect(`t${target}`))
    expect(under).toHaveLength(8)
    for (const end of under) end()
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(8)
    let dials = 0
    const quick = new RelayDials(async () => {
      dials += 1
      return await Promise.resolve(connection)
    })
    for (let target = 0; target < 200; target++) await quick.connect(`t${target}`)
    expect(dials).toBe(20)
  })
})
