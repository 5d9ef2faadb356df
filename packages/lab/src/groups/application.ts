/** A process with one member, which takes ranks of the program `bench`. */
import { allocator, type Allocator, type Group } from '@jel/allocate'
import type { Pool } from '@jel/jel'
import { monitor } from '@jel/monitor'
import { FrameStream, SendQueue } from '@jel/overlay'
import { serve } from '../base/remote.ts'
import { enter, placeOf, type Entry } from '../swarm/member-process.ts'

const PROTOCOL = '/lab-echo/1.0.0'
const MAX_BYTES = 2_000_000

/** A measurement: messages there and back, or sums over all ranks. */
export interface Order {
  readonly rounds: number
  readonly bytes: number
  /** Default: ping-pong. */
  readonly sums?: boolean
}

/** Returns the mean time of a round, µs. The first tenth of the rounds warms up. */
async function timed(rounds: number, round: () => Promise<unknown>): Promise<number> {
  for (let at = 0; at < rounds / 10; at++) await round()
  const begin = performance.now()
  for (let at = 0; at < rounds; at++) await round()
  return ((performance.now() - begin) * 1000) / rounds
}

async function measure(group: Group, input: unknown): Promise<number | undefined> {
  const { rounds, bytes, sums = false } = input as Order
  if (sums) {
    const values = new Float64Array(bytes / 8).fill(1)
    return await timed(rounds, async () => await group.allReduce(values, (a, b) => a.map((each, at) => each + (b[at] as number))))
  }
  const message = new Uint8Array(bytes)
  if (group.rank === 0)
    return await timed(rounds, async () => {
      await group.send(1, message)
      await group.receive({ from: 1 })
    })
  for (let at = 0; at < Math.ceil(rounds / 10) + rounds; at++) {
    const { bytes: received } = await group.receive({ from: 0 })
    await group.send(0, received)
  }
  return undefined
}

/** Returns the mean time of a round trip over one stream of frames, µs. */
async function echo(pool: Pool, member: string, { rounds, bytes }: Order): Promise<number> {
  const stream = await pool.open(member, PROTOCOL)
  let answered = (): void => {}
  const frames = new FrameStream(
    stream,
    { maxFrameBytes: MAX_BYTES, queue: new SendQueue() },
    { onFrame: () => answered(), onEnd: () => {} },
  )
  const message = new Uint8Array(bytes)
  const took = await timed(rounds, async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answered = resolve
    frames.send(message)
    await promise
  })
  await frames.close()
  return took
}

let entered: { readonly pool: Pool; readonly allocate: Allocator } | undefined

/** The member of this process. */
function here(): NonNullable<typeof entered> {
  if (entered === undefined) throw new Error('this process has not entered a pool')
  return entered
}

const commands = {
  enter: async (entry: Entry): Promise<{ id: string; address: string }> => {
    const pool = await enter(entry)
    const allocate = await allocator(pool, await monitor(pool))
    entered = { pool, allocate }
    allocate.program('bench', measure)
    await pool.handle(PROTOCOL, (stream) => {
      const frames: FrameStream = new FrameStream(
        stream,
        { maxFrameBytes: MAX_BYTES, queue: new SendQueue() },
        { onFrame: (bytes) => frames.send(bytes), onEnd: () => void frames.close() },
      )
    })
    return placeOf(pool)
  },
  members: (): number => here().pool.members().length,
  /** Returns the mean time of a round over a stream, µs. */
  stream: async (member: string, order: Order): Promise<number> => await echo(here().pool, member, order),
  /** Returns the mean time of a round in a group of `count` ranks, µs. */
  group: async (count: number, order: Order): Promise<number> => {
    const run = await here().allocate.group('bench', { count, input: order })
    const [first] = await run.ended
    if (first === undefined || 'error' in first) throw new Error(first?.error)
    return Number(first.value)
  },
}

export type Commands = typeof commands

serve(commands)
