/**
 * A process with one member. A server has a replicated counter, and two services that do the same,
 * one with replicas and one without. A client calls.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '@jel/jel'
import { service, serviceClient, type Service, type ServiceClient } from '@jel/service'
import { brokerService, type BrokerResult } from '../../../service/examples/broker.ts'
import { serve } from '../base/remote.ts'
import { enter, placeOf, type Entry } from '../swarm/member-process.ts'

/**
 * The pause of a client after a call, ms. Clients that never pause take the whole processor. Then
 * the failure detector is late.
 */
const PAUSE = 50

/** The state of this process. */
export interface State {
  /** The time of each call that was ordered, ms. */
  readonly times: readonly number[]
  readonly acknowledged: number
  readonly failed: number
  readonly longest: { readonly took: number; readonly endedAt: number }
  readonly role: string
  readonly backups: number
  readonly operations: number
  /** The backup that wins the next election. */
  readonly senior: string | undefined
}

interface Order {
  readonly serve?: true
  /**
   * Calls the service `name` `count` times, one call after the other, with an input of `bytes`
   * bytes.
   */
  readonly call?: { readonly name: string; readonly bytes: number; readonly count: number }
  /**
   * Gives this number of jobs of the broker to 16 machines. `times` has the time until all are
   * done.
   */
  readonly jobs?: number
  /** Counts until `stop`, with a pause after each call. */
  readonly count?: true
  readonly stop?: true
  /** Answers when the open call has an answer, and the next call, too, while the client counts. */
  readonly settle?: true
}

let pool: Pool
let client: ServiceClient
let counter: Service | undefined
const state = { isCounting: false, open: Promise.resolve() }
let [acknowledged, failed] = [0, 0]
/** The longest call since the last order, and its end. */
let longest = { took: 0, endedAt: 0 }
let counting: Promise<void> = Promise.resolve()

async function offer(): Promise<void> {
  counter = await service(pool, 'counter', { initial: 0, apply: (state: number, by: number) => [state + by, state + by] })
  await service(pool, 'replicated', { initial: 0, apply: (state: number, input: string) => [state + 1, input.length] })
  await service(pool, 'broker', brokerService)
  await service(pool, 'plain', { call: (input: string) => input.length })
}

async function count(): Promise<void> {
  while (state.isCounting) {
    const begin = Date.now()
    const { promise, resolve } = Promise.withResolvers<void>()
    state.open = promise
    try {
      await client.call('counter', 1, { timeout: 60_000 })
      acknowledged++
    } catch (error) {
      failed++
      process.stderr.write(`a call failed: ${String(error)}\n`)
    }
    const endedAt = Date.now()
    if (endedAt - begin >= longest.took) longest = { took: endedAt - begin, endedAt }
    resolve()
    await sleep(PAUSE)
  }
}

/** Jobs that a machine takes at a time, and machines. As in the test of the broker. */
const [TAKEN, MACHINES] = [25, 16]

async function doJobs(count: number): Promise<number> {
  const begin = performance.now()
  const jobs = Array.from({ length: count }, (_, at) => `job${at}`)
  for (let at = 0; at < count; at += 1000) await client.call('broker', { addJobs: jobs.slice(at, at + 1000) })
  const machine = async (name: string): Promise<void> => {
    for (let done: readonly string[] = []; ;) {
      const result = (await client.call('broker', { getJobs: { machine: name, count: TAKEN, done } })) as BrokerResult
      done = result.jobs ?? []
      if (done.length === 0) return
    }
  }
  await Promise.all(Array.from({ length: MACHINES }, async (_, at) => await machine(`m${at}`)))
  const { done } = (await client.call('broker', { counts: true })) as BrokerResult
  if (done !== count) throw new Error(`${done} of ${count} jobs were done`)
  return performance.now() - begin
}

async function callAll({ name: called, bytes, count: calls }: NonNullable<Order['call']>): Promise<number[]> {
  const input = 'x'.repeat(bytes)
  const times: number[] = []
  for (let at = 0; at < calls; at++) {
    const begin = performance.now()
    await client.call(called, input, { timeout: 60_000 })
    times.push(performance.now() - begin)
  }
  return times
}

/** A client may be in the pause between two calls: so this waits for the next one, too. */
async function nextAnswer(): Promise<void> {
  const { open } = state
  await open
  while (state.isCounting && state.open === open) await sleep(1)
  await state.open
}

const commands = {
  enter: async (entry: Entry): Promise<{ id: string; address: string }> => {
    pool = await enter(entry)
    client = serviceClient(pool)
    return placeOf(pool)
  },
  members: (): number => pool.members().length,
  /** Carries an order out. Returns the state, with the longest call since the last order. */
  ask: async (order: Order): Promise<State> => {
    if (order.serve === true) await offer()
    const times = order.call === undefined ? [] : await callAll(order.call)
    if (order.jobs !== undefined) times.push(await doJobs(order.jobs))
    if (order.count === true) {
      state.isCounting = true
      counting = count()
    }
    if (order.stop === true) {
      state.isCounting = false
      await counting
    }
    if (order.settle === true) await nextAnswer()
    const { role, backups, operations } = counter?.status ?? { role: 'none', backups: [], operations: 0 }
    const { standing = [], primary } = client.services().find(({ name }) => name === 'counter') ?? {}
    const [senior] = standing.filter((id) => id !== primary).toSorted()
    const answer = { times, acknowledged, failed, longest, role, backups: backups.length, operations, senior }
    longest = { took: 0, endedAt: 0 }
    return answer
  },
}

export type Commands = typeof commands

serve(commands)
