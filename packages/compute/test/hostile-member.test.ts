import { join } from 'node:path'
import type { Pool } from '@jel/jel'
import { FrameStream, SendQueue } from '@jel/overlay'
import { describe, expect, it } from 'vitest'
import type { Message } from '../src/core/messages.ts'
import { toBytes } from '../src/schemas.ts'
import { CONSTANT } from '../src/shell/member-list.ts'
import { VoteSigner } from '../src/shell/vote-signer.ts'
import { testPool } from './test-pool.ts'

const various = join(import.meta.dirname, 'programs/various.ts')
const STREAMS = '/jel-compute/1.0.0'

const test = testPool()
const { join: enter, member } = test

/** Adds a member that speaks the protocol and can send any messages. */
async function hostile(): Promise<Pool> {
  const pool = await enter()
  await pool.setConstant(CONSTANT, Uint8Array.of(1))
  await expect.poll(() => pool.members().length).toBe(test.pools.length)
  return pool
}

interface Line {
  readonly frames: FrameStream
  readonly isOpen: () => boolean
}

async function open(from: Pool, to: Pool, protocol: string): Promise<Line> {
  const stream = await from.open(to.self.id, protocol)
  const frames = new FrameStream(stream, { maxFrameBytes: 2 ** 22, queue: new SendQueue() }, { onFrame: () => {}, onEnd: () => {} })
  return { frames, isOpen: () => stream.status === 'open' }
}

const say = ({ frames }: Line, message: Message): void => frames.send(toBytes(message))
const [victimOf, shareOf] = [
  () => test.pools[0] as Pool,
  (name: string) => new Map([[name, { rule: 'min', key: 1, values: [new Uint8Array(900_000)] }]]),
]

/**
 * Returns a function for the longest time that this thread has worked without a break, ms. This is
 * the thread's own time: other processes may hold up the thread for seconds.
 */
function longestTurn(): () => number {
  let longest = 0
  let last = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
  }, 5)
  return () => {
    clearInterval(timer)
    return longest
  }
}

describe('a member that is flooded', () => {
  it('with names of shared values goes on working', async () => {
    const grid = await member({ workers: 1 })
    const attacker = await hostile()
    const job = await grid.submit(various, 'flat', { tasks: 100, ms: 10 })
    const line = await open(attacker, victimOf(), STREAMS)
    for (let name = 0; name < 12; name++) say(line, { type: 'shared', job: job.id, shared: shareOf(`s${name}`) } as Message)
    expect(await job.result).toBe(4950)
  })

  it('with votes to check is held up only for moments', async () => {
    const grid = await member({ workers: 1 })
    const attacker = await hostile()
    const signer = new VoteSigner(attacker)
    await signer.start()
    const job = await grid.submit(various, 'flat', { tasks: 20, ms: 10 }, { votes: 2 })
    const by = attacker.self.id
    const entries = Array.from({ length: 10_000 }, (_, number) => {
      const path = String(number).padStart(10, 'a')
      const entry = { path, outcome: { value: new Uint8Array() }, shared: new Map() }
      return { ...entry, votes: [{ by, leaf: true, signature: signer.sign(job.id, entry, true) }] }
    })
    const line = await open(attacker, victimOf(), STREAMS)
    const longest = longestTurn()
    say(line, { type: 'report', job: job.id, number: 1, entries, claims: [], dropped: [], work: { begun: 0, finished: 0, ran: 0 } })
    await expect.poll(() => grid.jobs().length, { timeout: 5000 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 4000))
    expect(longest()).toBeLessThan(1000)
  })

  it('with streams keeps two of them', async () => {
    await member()
    const attacker = await hostile()
    const lines: Line[] = []
    for (let stream = 0; stream < 8; stream++) lines.push(await open(attacker, victimOf(), STREAMS))
    await expect.poll(() => lines.filter(({ isOpen }) => isOpen()).length).toBe(2)
  })
})
