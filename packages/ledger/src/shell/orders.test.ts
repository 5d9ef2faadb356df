import { expect, it } from 'vitest'
import type { Proposal } from '../core/messages.ts'
import type { Life } from '../fold/events.ts'
import { Fold } from '../fold/fold.ts'
import { encode, toBase64 } from '../fold/bodies.ts'
import { Orders } from './orders.ts'

const read = (bytes: Uint8Array): Life => ({ id: 'me', incarnation: Number(new TextDecoder().decode(bytes)) })

/** A ledger of one member. `arrival` puts the proposals of one turn in another order. */
function setUp(arrival: (entries: readonly Proposal[]) => readonly Proposal[] = (entries) => entries) {
  const fold = new Fold(read)
  const placed: string[] = []
  let index = 0
  let life: Life | undefined
  let isDeaf = false
  let waiting: { readonly entry: () => Proposal | undefined; readonly resolve: () => void }[] = []
  const orders: Orders = new Orders(
    () => life,
    async (entry) => {
      await new Promise<void>((resolve) => waiting.push({ entry, resolve }))
    },
  )
  const take = (entry: Proposal): void => {
    for (const event of fold.take(++index, entry)) {
      if (event.type === 'joined') {
        life = { id: 'me', incarnation: event.member.incarnation }
        orders.joined()
      } else if (event.type === 'ordered') {
        placed.push(String.fromCodePoint(...event.payload))
        if (!isDeaf) orders.take(event)
      }
    }
  }
  const join = (incarnation: number): void => take(encode('join', { statement: toBase64(new TextEncoder().encode(String(incarnation))) }))
  /** Lets the proposals of this turn arrive. */
  const commit = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    const calls = waiting
    waiting = []
    for (const entry of arrival(calls.flatMap((call) => call.entry() ?? []))) take(entry)
    for (const { resolve } of calls) resolve()
    // A message without a place is proposed again after a pause.
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const end = (): void => void (life = undefined)
  const deafen = (deaf: boolean): void => void (isDeaf = deaf)
  return { orders, placed, join, end, deafen, commit }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

it('a message that waits behind another one is not proposed again and again', async () => {
  let proposed = 0
  const stuck = new Orders(
    () => ({ id: 'me', incarnation: 1 }),
    async () => {
      proposed += 1
      // The answer to the first one never comes, and the second one comes too early.
      if (proposed === 1) await new Promise(() => {})
    },
  )
  void stuck.order('n', bytes('a'))
  void stuck.order('n', bytes('b'))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(proposed).toBe(2)
})

it('messages have their places in the order of the calls, though they arrive in another one', async () => {
  const { orders, placed, join, commit } = setUp((entries) => entries.toReversed())
  join(1)
  const indexes = Promise.all(['a', 'b', 'c'].map(async (text) => await orders.order('n', bytes(text))))
  for (let turn = 0; turn < 4; turn++) await commit()
  expect(placed.join('')).toBe('abc')
  const [a = 0, b = 0, c = 0] = await indexes
  expect([a < b, b < c]).toEqual([true, true])
})

it('a message that arrives twice has one place', async () => {
  const { orders, placed, join, commit } = setUp((entries) => [...entries, ...entries])
  join(1)
  const index = orders.order('n', bytes('a'))
  await commit()
  expect(await index).toBe(2)
  expect(placed).toEqual(['a'])
})

it('messages that wait go on in the next life of the member, once', async () => {
  const { orders, placed, join, commit } = setUp()
  join(1)
  const first = orders.order('n', bytes('a'))
  await commit()
  await first
  const second = orders.order('n', bytes('b'))
  join(2)
  for (let turn = 0; turn < 3; turn++) await commit()
  await second
  expect(placed.join('')).toBe('ab')
})

it('a message whose life ends before it is sent waits for the next life', async () => {
  const { orders, placed, join, end, commit } = setUp()
  join(1)
  const index = orders.order('n', bytes('a'))
  end()
  for (let turn = 0; turn < 3; turn++) await commit()
  expect(placed).toEqual([])
  join(2)
  await commit()
  expect(await index).toBeGreaterThan(0)
  expect(placed).toEqual(['a'])
})

it('a snapshot with some of the messages that wait ends those, and the others follow', async () => {
  const { orders, placed, join, deafen, commit } = setUp()
  join(1)
  const first = orders.order('n', bytes('a'))
  deafen(true)
  await commit()
  deafen(false)
  const second = orders.order('n', bytes('b'))
  orders.installed(1)
  await expect(first).rejects.toMatchObject({ code: 'LEDGER_GAP' })
  for (let turn = 0; turn < 3; turn++) await commit()
  expect(await second).toBeGreaterThan(2)
  expect(placed).toEqual(['a', 'b'])
})

it('refuses the 65th message that waits', async () => {
  const { orders } = setUp()
  for (let at = 0; at < 64; at++) orders.order('n', bytes('x')).catch(() => {})
  await expect(orders.order('n', bytes('x'))).rejects.toMatchObject({ code: 'LEDGER_BUSY' })
  orders.close(new Error('over'))
})
