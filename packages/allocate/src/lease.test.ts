import type { Pool } from '@jel/jel'
import * as v from 'valibot'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LONGEST, type LeaseRequest } from './core/lease-input.ts'
import { granterMessage, type GranterMessage } from './core/messages.ts'
import { Lease, type Connect } from './lease.ts'
import { Granter } from './shell/granter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A granter of four processors, without a network, and a connection to it. */
function granter(): { granter: Granter; connect: Connect } {
  const pool = { self: { id: 'me', incarnation: 1 } } as unknown as Pool
  const made = new Granter(
    pool,
    () => true,
    () => {},
    () => ({ ranks: [], starts: [] }),
  )
  made.offer('cpus', 4)
  return { granter: made, connect: async (onMessage) => await Promise.resolve({ send: made.connect(onMessage), close: () => {} }) }
}

const asked: LeaseRequest = { amounts: { cpus: 2 }, for: 60_000, from: 0, background: false, key: 'k' }

it('a lease that its holder releases has ended for that reason, and its granter forgets its holder', async () => {
  const { granter: own, connect } = granter()
  const lease = await Lease.ask('me', asked, connect)
  expect(own.connections).toBe(1)
  await lease.release()
  expect(lease.signal.reason).toMatchObject({ code: 'LEASE_ENDED', message: 'the lease of me has ended: it was released' })
  expect(own.list()).toEqual([])
  expect(own.connections).toBe(0)
})

it('a lease whose term is over has ended for that reason', async () => {
  const { connect } = granter()
  const lease = await Lease.ask('me', { ...asked, for: 500 }, connect)
  await vi.advanceTimersByTimeAsync(500)
  expect(lease.signal.reason).toMatchObject({ message: 'the lease of me has ended: its term is over' })
})

it('a holder whose clock is slower by a hundredth ends before its granter', async () => {
  const { granter: own, connect } = granter()
  const lease = await Lease.ask('me', { ...asked, for: 100_000 }, connect)
  // While the granter's clock shows 100 s, that of the holder shows 99.1 s.
  await vi.advanceTimersByTimeAsync(99_100)
  expect(lease.signal.aborted).toBe(true)
  expect(own.list()).toHaveLength(1)
  const renewed = await Lease.ask('me', { ...asked, for: 100_000, key: 'other' }, connect)
  await vi.advanceTimersByTimeAsync(98_900)
  expect(renewed.signal.aborted).toBe(false)
})

it('a lease has its former amounts until background leases have given back the rest', async () => {
  const { connect } = granter()
  const lease = await Lease.ask('me', { ...asked, amounts: { cpus: 1 } }, connect)
  const rest = await Lease.ask('me', { ...asked, amounts: { cpus: 4 }, background: true, key: 'rest' }, connect)
  await vi.advanceTimersByTimeAsync(1000)
  expect([lease.amounts, rest.amounts]).toEqual([{ cpus: 1 }, { cpus: 3 }])
  await lease.change({ cpus: 3 })
  expect([lease.amounts, lease.startsIn, rest.amounts]).toEqual([{ cpus: 1 }, 0, { cpus: 1 }])
  await vi.advanceTimersByTimeAsync(499)
  expect(lease.amounts).toEqual({ cpus: 1 })
  await vi.advanceTimersByTimeAsync(1)
  expect(lease.amounts).toEqual({ cpus: 3 })
})

it('a function that no longer wants the changes of a lease is not called', async () => {
  const { connect } = granter()
  const lease = await Lease.ask('me', asked, connect)
  const heard: unknown[] = []
  const end = lease.onChange((amounts) => heard.push(amounts))
  await lease.change({ cpus: 3 })
  end()
  await lease.change({ cpus: 1 })
  expect(heard).toEqual([{ cpus: 3 }])
  await lease.release()
})

it('a lease in advance that is much shorter than the time until it begins lasts for 99 % of its term', async () => {
  const { granter: own, connect } = granter()
  const [wait, term] = [86_400_000, 60_000]
  const lease = await Lease.ask('me', { ...asked, from: wait, for: term }, connect)
  expect([lease.startsIn, lease.endsIn]).toEqual([wait, wait + term * 0.99])
  await vi.advanceTimersByTimeAsync(wait + term * 0.99 - 1)
  expect(lease.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(lease.signal.aborted).toBe(true)
  expect(own.list()).toHaveLength(1)
})

it('a running lease ends no later because a change of it waits for background leases', async () => {
  const { connect } = granter()
  const lease = await Lease.ask('me', { ...asked, amounts: { cpus: 1 }, for: 100_000 }, connect)
  await Lease.ask('me', { ...asked, amounts: { cpus: 4 }, for: 100_000, background: true, key: 'rest' }, connect)
  await vi.advanceTimersByTimeAsync(1000)
  await lease.change({ cpus: 3 })
  expect(lease.endsIn).toBe(99_000 * 0.99)
})

it('a lease of 31 days is granted, and the list of its granter is valid, also if background leases make room', async () => {
  const { granter: own, connect } = granter()
  await Lease.ask('me', { ...asked, amounts: { cpus: 4 }, background: true, key: 'rest' }, connect)
  const lease = await Lease.ask('me', { ...asked, for: LONGEST }, connect)
  const list = { leases: own.list(), totals: own.totals, ranks: [], starts: [] }
  expect(v.is(granterMessage, list)).toBe(true)
  expect(lease.startsIn).toBe(500)
})

it('a lease that ends while its holder connects again leaves no stream, and does not change any more', async () => {
  const { granter: own } = granter()
  const open = new Set<(message: GranterMessage | undefined) => void>()
  let delay = 0
  const connect: Connect = async (onMessage) => {
    await new Promise((resolve) => setTimeout(resolve, delay))
    open.add(onMessage)
    return { send: own.connect(onMessage), close: () => open.delete(onMessage) }
  }
  const asking = Lease.ask('me', { ...asked, for: 100_000, background: true }, connect)
  await vi.advanceTimersByTimeAsync(1)
  const lease = await asking
  // The stream breaks 50 ms before the end.
  await vi.advanceTimersByTimeAsync(98_949)
  delay = 100
  const [former] = open
  open.clear()
  former?.(undefined)
  await vi.advanceTimersByTimeAsync(50)
  expect([lease.signal.aborted, lease.amounts]).toEqual([true, {}])
  await vi.advanceTimersByTimeAsync(1000)
  expect([open.size, lease.amounts]).toEqual([0, {}])
})

it('a lease whose stream breaks after its end tells nobody of a change', async () => {
  const { granter: own } = granter()
  let last: ((message: GranterMessage | undefined) => void) | undefined
  const connect: Connect = async (onMessage) => {
    last = onMessage
    return await Promise.resolve({ send: own.connect(onMessage), close: () => {} })
  }
  const lease = await Lease.ask('me', { ...asked, background: true }, connect)
  const heard: unknown[] = []
  lease.onChange((amounts) => heard.push(amounts))
  await lease.release()
  last?.(undefined)
  expect(heard).toEqual([])
  expect(vi.getTimerCount()).toBe(1)
})
