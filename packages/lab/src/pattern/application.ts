/** A process with one member, which measures, selects, and exchanges data with others. */
import { allocator, type Allocator, type Pattern } from '@jel/allocate'
import { drained, type Pool, type Stream } from '@jel/jel'
import { monitor } from '@jel/monitor'
import { serve } from '../base/remote.ts'
import { enter, placeOf, type Entry } from '../swarm/member-process.ts'

const PROTOCOL = '/lab-exchange/1.0.0'
const CHUNK = 16_384

let entered: { readonly pool: Pool; readonly allocate: Allocator } | undefined

/** The member of this process. */
function here(): NonNullable<typeof entered> {
  if (entered === undefined) throw new Error('this process has not entered a pool')
  return entered
}

/** Reads all bytes, and then sends one. */
async function take(stream: Stream): Promise<void> {
  for await (const _ of stream);
  stream.send(Uint8Array.of(1))
  await stream.close()
}

/** Sends bytes. Resolves when the member has all of them. */
async function give(pool: Pool, member: string, bytes: number): Promise<void> {
  const stream = await pool.open(member, PROTOCOL)
  for (let left = bytes; left > 0; left -= CHUNK) if (!stream.send(new Uint8Array(Math.min(left, CHUNK)))) await drained(stream)
  await stream.close()
  for await (const _ of stream);
}

const commands = {
  enter: async (entry: Entry): Promise<{ id: string; address: string }> => {
    const pool = await enter(entry)
    entered = { pool, allocate: await allocator(pool, await monitor(pool)) }
    await pool.handle(PROTOCOL, (stream) => void take(stream).catch((error: unknown) => stream.abort(error as Error)))
    return placeOf(pool)
  },
  members: (): number => here().pool.members().length,
  /** Measures all pairs. Returns their bandwidths, and the number of unknown ones. */
  measure: async (timeout: number): Promise<{ bandwidths: readonly number[]; unknown: readonly string[] }> => {
    const { pairs, unknown } = await here().allocate.measure(here().pool.members(), { timeout })
    return { bandwidths: pairs.map(({ bandwidth }) => bandwidth), unknown: unknown.map(({ reason }) => reason) }
  },
  /** Selects by the figures of the last measurement. */
  select: async (count: number, pattern: Pattern): Promise<readonly string[]> =>
    (await here().allocate.select({ count, pattern, timeout: 0 })).map(({ id }) => id),
  /** Sends `bytes` bytes to each of these members at once. Resolves when all have them. */
  exchange: async (members: readonly string[], bytes: number): Promise<void> => {
    await Promise.all(members.map(async (member) => await give(here().pool, member, bytes)))
  },
}

export type Commands = typeof commands

serve(commands)
