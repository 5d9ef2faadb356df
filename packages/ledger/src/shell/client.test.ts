import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Proposal, Request } from '../core/messages.ts'
import { Client } from './client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const entry = (kind: string) => (): Proposal => ({ kind, body: new Uint8Array() })

/** A client of three voters, and what it has sent to each of them. */
function setUp({ leader, answer }: { leader?: string; answer?: (client: Client, to: string, request: Request) => void } = {}) {
  const sent: { readonly to: string; readonly request: Request }[] = []
  let known = leader
  const client: Client = new Client({
    send: (to, request) => {
      sent.push({ to, request })
      answer?.(client, to, request)
    },
    leader: () => known,
    seats: () => ['a/1', 'b/1', 'c/1'],
  })
  const kinds = (): string[] =>
    sent.map(({ to, request }) => `${to} ${request.type === 'read' ? 'read' : request.entries.map(({ kind }) => kind).join(',')}`)
  return { client, sent, kinds, elect: (seat: string | undefined) => void (known = seat) }
}

async function turn(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
}

it('sends the calls of one turn together, in their order, and reads apart', async () => {
  const { client, kinds } = setUp({ leader: 'a/1' })
  void client.propose(entry('one'))
  void client.propose(entry('two'))
  void client.read()
  void client.propose(entry('three'))
  await turn()
  expect(kinds()).toEqual(['a/1 one,two', 'a/1 read', 'a/1 three'])
})

it('goes to the leader that a voter names, with all that is on its way, in its order', async () => {
  const { client, sent, kinds } = setUp({ leader: 'a/1' })
  const index = client.propose(entry('one'))
  await turn()
  void client.propose(entry('two'))
  await turn()
  client.take('a/1', { type: 'redirected', number: sent[0]?.request.number ?? -1, leader: 'b/1' })
  await turn()
  expect(kinds().slice(2)).toEqual(['b/1 one,two'])
  // The former leader answers late, or lies.
  client.take('a/1', { type: 'proposed', number: sent[2]?.request.number ?? -1, index: 9 })
  client.take('b/1', { type: 'proposed', number: sent[2]?.request.number ?? -1, index: 7 })
  expect(await index).toBe(7)
})

it('keeps the order of what is on its way and what waits behind it', async () => {
  const { client, sent } = setUp({ leader: 'a/1' })
  for (let at = 0; at < 80; at++) void client.propose(entry(String.fromCodePoint(97 + (at % 26))))
  await turn()
  client.take('a/1', { type: 'redirected', number: sent[0]?.request.number ?? -1, leader: 'b/1' })
  await turn()
  const kinds = sent.slice(4).flatMap(({ request }) => (request.type === 'propose' ? request.entries.map(({ kind }) => kind) : []))
  expect(kinds.join('')).toBe(Array.from({ length: 64 }, (_, at) => String.fromCodePoint(97 + (at % 26))).join(''))
})

it('asks another voter if the leader that it knows leads no more', async () => {
  const { client, kinds } = setUp({
    leader: 'a/1',
    answer: (self, to, { number }) => self.take(to, to === 'c/1' ? { type: 'proposed', number, index: 5 } : { type: 'redirected', number }),
  })
  const placed = client.propose(entry('one'))
  await turn(3000)
  expect(await placed).toBe(5)
  expect(kinds()[0]).toBe('a/1 one')
})

it.each([1, 2, 3, 4, 5, 6])('asks the leader that it knows again, once another voter was silent, too: %i', async () => {
  const { client, kinds, elect } = setUp({ leader: 'a/1' })
  void client.propose(entry('one'))
  await turn(1100)
  expect(kinds()[1]).toMatch(/^[bc]/u)
  elect('a/1')
  await turn(2200)
  expect(kinds()[2]).toBe('a/1 one')
})

it('asks another voter after a second without an answer, and then less and less often', async () => {
  const { client, kinds, elect } = setUp({ leader: 'a/1' })
  void client.propose(entry('one'))
  await turn()
  elect(undefined)
  await turn(1100)
  expect(kinds()).toHaveLength(2)
  // Then after 2 and 4 s, and each 4 s.
  await turn(30_000)
  expect(kinds()).toHaveLength(9)
})

it('leaves a busy leader some time, and loses nothing', async () => {
  const { client, sent, kinds } = setUp({ leader: 'a/1' })
  const index = client.propose(entry('one'))
  await turn()
  client.take('a/1', { type: 'refused', number: sent[0]?.request.number ?? -1, reason: 'busy' })
  await turn(20)
  expect(kinds()).toHaveLength(1)
  await turn(80)
  expect(kinds()).toEqual(['a/1 one', 'a/1 one'])
  client.take('a/1', { type: 'proposed', number: sent[1]?.request.number ?? -1, index: 3 })
  expect(await index).toBe(3)
})

it('does not spin if its own seat answers at once that it knows no leader', async () => {
  const { client, sent } = setUp({
    answer: (each, to, { number }) => each.take(to, { type: 'redirected', number }),
  })
  void client.propose(entry('one'))
  await turn(1000)
  expect(sent.length).toBeGreaterThan(5)
  expect(sent.length).toBeLessThan(30)
})

it('has at most four requests on their way', async () => {
  const { client, sent } = setUp({ leader: 'a/1' })
  for (let at = 0; at < 200; at++) void client.propose(entry('x'))
  await turn()
  expect(sent.map(({ request }) => (request.type === 'propose' ? request.entries.length : 0))).toEqual([16, 16, 16, 16])
})

it('ends all calls when it is closed', async () => {
  const { client } = setUp({ leader: 'a/1' })
  const calls = Promise.allSettled([client.propose(entry('one')), client.read()])
  await turn()
  client.close(new Error('over'))
  expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(client.read()).rejects.toThrow('over')
})
