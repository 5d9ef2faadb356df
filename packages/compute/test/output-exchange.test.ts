import type { Pool } from '@jel/jel'
import { encode } from 'it-length-prefixed'
import { expect, it, vi } from 'vitest'
import { toBytes } from '../src/schemas.ts'
import { OutputExchange } from '../src/shell/output-exchange.ts'
import { PeerBudget } from '../src/shell/peer-budget.ts'
import { testPool } from './test-pool.ts'

const test = testPool()
const PROTOCOL = '/jel-compute-output/1.0.0'

/** A replica of every job, and another member. */
async function setUp(): Promise<{ replica: OutputExchange; victim: Pool; peer: Pool; budget: PeerBudget }> {
  const [victim, peer] = [await test.join(), await test.join()]
  await expect.poll(() => [victim, peer].map((pool) => pool.members().length)).toEqual([2, 2])
  const budget = new PeerBudget()
  const replica = exchangeOf(victim, victim, budget)
  await replica.start()
  return { replica, victim, peer, budget }
}

function exchangeOf(pool: Pool, replica: Pool, budget = new PeerBudget()): OutputExchange {
  return new OutputExchange(pool, {
    budget,
    replicas: () => [replica.self.id],
    isKnown: (job) => job === 'job',
    computing: () => 1,
    onOutput: () => {},
  })
}

const frame = (message: unknown): Uint8Array => encode.single(toBytes(message)).subarray()
let pieces = 0
const piece = (text: string): object => ({ member: 'x', stream: 'stdout', text, time: 0, number: ++pieces })

it('many short lines in one burst, of deep tasks, all reach the replica in their order', async () => {
  const { replica, victim, peer } = await setUp()
  const sender = exchangeOf(peer, victim)
  const path = 'abcdefghij'.repeat(60)
  for (let line = 0; line < 3000; line++) sender.printed('job', { path, fn: 'f', stream: 'stdout', text: `${line}\n` })
  const text = async (exchange: OutputExchange): Promise<string> => (await exchange.of('job')).map((each) => each.text).join('')
  const all = Array.from({ length: 3000 }, (_, line) => `${line}\n`).join('')
  await expect.poll(async () => await text(replica)).toBe(all)
  expect(await text(sender)).toBe(all)
  expect((await sender.of('job')).every(({ member, task }) => member === peer.self.id && task === path)).toBe(true)
  await replica.close()
})

it('a peer is charged for every message, gets one message a stream, and is refused without credit', async () => {
  const { replica, victim, peer, budget } = await setUp()
  const statusAfter = async (...messages: unknown[]): Promise<string> => {
    const stream = await peer.open(victim.self.id, PROTOCOL)
    for (const message of messages) stream.send(frame(message))
    await expect.poll(() => stream.status).not.toBe('open')
    return stream.status
  }
  expect(await statusAfter({ job: 'job', outputs: [piece('first')] }, { job: 'job', outputs: [piece('second')] })).toBe('reset')
  expect((await replica.of('job')).map(({ text, member }) => [text, member])).toEqual([['first', peer.self.id]])
  await statusAfter({ job: 'unknown', outputs: [piece('x')] })
  expect(await replica.of('unknown')).toEqual([])
  // A message that is invalid at its end costs as well.
  const costly = { job: 'job', outputs: [...Array.from({ length: 500 }, () => piece('y'.repeat(300))), { member: 7 }] }
  const charged = vi.spyOn(budget, 'charge')
  expect(await statusAfter(costly)).toBe('reset')
  expect(charged.mock.lastCall).toMatchObject([
    peer.self.id,
    expect.any(Number),
    expect.toSatisfy((bytes) => bytes > 150_000),
    expect.any(Number),
  ])
  budget.charge(peer.self.id, 60_000, 0, performance.now())
  expect(await statusAfter()).toBe('reset')
  expect((await replica.of('job')).map(({ text }) => text)).toEqual(['first'])
  await replica.close()
})

it('silent streams do not keep the places of others', async () => {
  const { replica, victim, peer } = await setUp()
  const silent = [await peer.open(victim.self.id, PROTOCOL), await peer.open(victim.self.id, PROTOCOL)]
  await expect.poll(() => silent.map(({ status }) => status), { timeout: 8000 }).toEqual(['reset', 'reset'])
  const stream = await peer.open(victim.self.id, PROTOCOL)
  stream.send(frame({ job: 'job', outputs: [piece('heard')] }))
  await expect.poll(async () => (await replica.of('job')).map(({ text }) => text)).toEqual(['heard'])
  await replica.close()
})

it('a replica that does not answer delays only its own output, of which little waits', async () => {
  const { replica, victim, peer } = await setUp()
  const open = peer.open.bind(peer)
  let asked = 0
  vi.spyOn(peer, 'open').mockImplementation(async (id, ...rest) => {
    if (id === victim.self.id) return await open(id, ...rest)
    asked++
    return await new Promise<never>(() => {})
  })
  const sender = new OutputExchange(peer, {
    budget: new PeerBudget(),
    replicas: () => ['silent', victim.self.id],
    isKnown: () => true,
    computing: () => 1,
    onOutput: () => {},
  })
  for (let round = 1; round <= 3; round++) {
    sender.printed('job', { path: 'abcdefghij', fn: 'f', stream: 'stdout', text: `${round}\n` })
    await expect.poll(async () => (await replica.of('job')).at(-1)?.text).toBe(`${round}\n`)
  }
  expect(asked).toBe(1)
  await replica.close()
})

it('little output waits for a replica that does not answer', async () => {
  const { replica, peer } = await setUp()
  const gate = Promise.withResolvers<void>()
  let asked = 0
  vi.spyOn(peer, 'open').mockImplementation(async () => {
    asked++
    await gate.promise
    throw new Error('it is silent')
  })
  const sender = new OutputExchange(peer, {
    budget: new PeerBudget(),
    replicas: () => ['silent'],
    isKnown: () => true,
    computing: () => 1,
    onOutput: () => {},
  })
  for (let job = 0; job < 60; job++)
    sender.printed(`job ${job}`, { path: 'abcdefghij', fn: 'f', stream: 'stdout', text: 'x'.repeat(60_000) })
  await expect.poll(() => asked).toBe(1)
  gate.resolve()
  // 1 MiB of messages of 32 KiB or one text. All would be 60.
  await expect.poll(() => asked).toBeGreaterThan(10)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(asked).toBeLessThan(30)
  await replica.close()
})
