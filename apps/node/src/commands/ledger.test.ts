import type { LedgerStatus, Pool } from '@jel/jel'
import { describe, expect, it } from 'vitest'
import type { Context } from './command.ts'
import { confirm, ledger, order } from './ledger.ts'

const status: LedgerStatus = {
  id: '1-ab',
  generation: 1,
  state: 'ready',
  term: 3,
  leader: undefined,
  voters: [
    { id: 'first', durable: true, reachable: true },
    { id: 'second', durable: false, reachable: false },
  ],
  index: 42,
}

/** A context with these parts of a pool. */
function at(pool: Partial<Pool>, signal = new AbortController().signal): Context {
  return { agent: { pool }, signal } as unknown as Context
}

describe('in a pool without a ledger', () => {
  it.each([
    ['ledger', async () => ledger.run({}, at({}))],
    ['confirm', async () => await confirm.run({ election: 'master', timeout: undefined }, at({}))],
    ['order', async () => await order.run({ name: 'row', payload: undefined, timeout: undefined }, at({}))],
  ])('%s says how a node gets one', async (_, run) => {
    await expect(run()).rejects.toMatchObject({ code: 'LEDGER_MISSING', message: expect.stringContaining('--joins reliable') })
  })
})

it('the ledger is shown with its voters, and has status 1 without a majority', async () => {
  const answer = { event: 'ledger', ...(await ledger.run({}, at({ ledger: status }))) } as const
  expect(answer).toMatchObject({ leader: null, index: 42 })
  const lines = await ledger.shell?.text?.(answer, 0)
  expect(lines?.slice(-3).map((line) => line.replaceAll(/ +/gu, ' '))).toEqual([
    'VOTER KEPT REACHABLE',
    'first on disk yes',
    'second in memory no',
  ])
  expect(lines).toContain('leader       none is known')
  expect(['ready', 'stopped', 'no-majority'].map((state) => ledger.shell?.status?.({ ...answer, state } as typeof answer))).toEqual([
    0, 0, 1,
  ])
})

it.each([
  ['the time limit', { timeout: 1 }, 'TimeoutError'],
  ['a cancelled command', { timeout: undefined }, 'AbortError'],
])('%s ends a call of the ledger', async (_, { timeout }, name) => {
  const command = new AbortController()
  const waits = async (signal: AbortSignal | undefined): Promise<never> =>
    await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
  const pool = {
    ledger: status,
    confirm: async (_election: string, { signal }: { signal?: AbortSignal } = {}) => await waits(signal),
    order: async (_name: string, _payload: unknown, { signal }: { signal?: AbortSignal } = {}) => await waits(signal),
  }
  const calls = [
    confirm.run({ election: 'master', timeout }, at(pool, command.signal)),
    order.run({ name: 'row', payload: 'aGk=', timeout }, at(pool, command.signal)),
  ]
  if (timeout === undefined) command.abort()
  for (const call of calls) await expect(call).rejects.toMatchObject({ name })
})

it.each([0, -1, Number.NaN, 2 ** 31])('the time limit %d is refused', async (timeout) => {
  const call = confirm.run({ election: 'master', timeout }, at({ ledger: status }))
  await expect(call).rejects.toMatchObject({ code: 'INVALID_COMMAND', message: expect.stringContaining('timeout') })
})

it('a payload of jel order is text, and nobody is no winner', async () => {
  expect(await order.shell?.line?.({ name: 'row', payload: 'hi', timeout: 500 } as never)).toEqual({
    command: 'order',
    name: 'row',
    payload: 'aGk=',
    timeout: 500,
  })
  const answer = await confirm.run({ election: 'x', timeout: undefined }, at({ ledger: status, confirm: async () => undefined }))
  expect(answer).toEqual({ election: 'x', epoch: null, winner: null })
  const event = { event: 'confirmed', ...answer } as const
  expect([await confirm.shell?.text?.(event, 0), confirm.shell?.status?.(event)]).toEqual([['x: nobody reigns'], 1])
})
