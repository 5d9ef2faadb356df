import type { Pool } from '@jel/jel'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LeaseRequest } from './core/lease-input.ts'
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
