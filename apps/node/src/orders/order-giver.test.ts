import { OpenError, UnknownMemberError, type Member, type Pool, type RecordOwner } from '@jel/jel'
import { expect, it, vi } from 'vitest'
import { StreamEnds } from '../../test/stream-ends.ts'
import { OrderGiver, type OrderResult } from './order-giver.ts'
import { signedBytes, type Task } from './order.ts'

const member = { id: 'M' } as Member
const task: Task = { do: 'install', key: 'secret' }
const keys = [{ id: '0123456789abcdef', primary: true }]
const nonce = 'bm9uY2U='

/** Gives one order to a member that plays `answer` on each stream. Returns the streams as well. */
async function give(
  answer: (ends: StreamEnds, tries: number) => void | Promise<void>,
  signal = new AbortController().signal,
): Promise<{ result: OrderResult | undefined; streams: StreamEnds[] }> {
  const streams: StreamEnds[] = []
  const pool = {
    open: async () => {
      const ends = new StreamEnds()
      streams.push(ends)
      await answer(ends, streams.length)
      return ends.stream
    },
    sign: async (message: Uint8Array) => message.slice(-64),
  } as unknown as Pool
  const admin: RecordOwner = { id: 'A', seed: new Uint8Array(32) }
  const [result] = await new OrderGiver(pool, admin, signal).giveAll([member], task)
  return { result, streams }
}

const write = (ends: StreamEnds, ...messages: object[]): void => {
  for (const message of messages) ends.write(`${JSON.stringify(message)}\n`)
}

it('an order is signed for the member and its nonce, and its result is the member’s answer', async () => {
  const { result, streams } = await give((ends) => write(ends, { nonce }, { keys }))
  expect(result).toEqual({ member, result: 'done', keys })
  expect(streams).toHaveLength(1)
  const signature = Buffer.from(signedBytes('M', nonce, task).slice(-64)).toString('base64')
  expect(streams[0]?.sent).toEqual([{ by: 'A', task, signature }])
})

it('a member that refuses orders gets none, so it gets no key', async () => {
  const { result, streams } = await give((ends) => write(ends, { refused: 'it takes no orders' }))
  expect(result).toEqual({ member, result: 'refused', reason: 'it takes no orders' })
  expect(streams[0]?.sent).toEqual([])
})

it.concurrent('a lost answer is asked for once more', async () => {
  const { result, streams } = await give((ends, tries) => {
    write(ends, { nonce })
    if (tries === 1) ends.end()
    else write(ends, { keys })
  })
  expect(result).toMatchObject({ result: 'done' })
  expect(streams).toHaveLength(2)
})

it.concurrent.each<[string, object[], string?]>([
  ['no nonce', [{}]],
  ['a nonce without bound', [{ nonce: 'AAAA'.repeat(100) }]],
  ['no keys', [{ nonce }, { keys: 5 }]],
  ['more keys than a node has', [{ nonce }, { keys: Array.from({ length: 9 }, () => keys[0]) }]],
  ['a reason without bound', [{ nonce }, { refused: 'x'.repeat(2_000) }]],
  ['a message without bound', [{ nonce }, { refused: 'x'.repeat(5_000) }], 'too long'],
])('a member that sends %s counts as one without an answer', async (_, messages, reason = 'nobody can read') => {
  const { result, streams } = await give((ends) => write(ends, ...messages))
  expect(result).toMatchObject({ result: 'no answer', reason: expect.stringContaining(reason) })
  expect(streams.map(({ aborted }) => aborted?.message)).toEqual(Array(2).fill('an order that is not completed'))
})

it.concurrent('a member that is gone, or can’t be reached, gives no answer', async () => {
  const gone = await give(() => Promise.reject(new UnknownMemberError('no member has this id')))
  expect(gone.result).toEqual({ member, result: 'no answer', reason: 'no member has this id' })
  expect(gone.streams).toHaveLength(1)
  const away = await give(() => Promise.reject(new OpenError('not reached')))
  expect(away.result).toMatchObject({ result: 'no answer', reason: 'not reached' })
  expect(away.streams).toHaveLength(2)
})

it('a cancelled command ends the orders that are under way', async () => {
  const controller = new AbortController()
  let stream: StreamEnds | undefined
  const given = give((ends) => void (stream = ends), controller.signal)
  await vi.waitFor(() => expect(stream).toBeDefined())
  controller.abort(new Error('cancelled'))
  await expect(given).rejects.toThrow('cancelled')
  expect(stream?.aborted).toBeDefined()
})
