/** The program of a page in tests: it gives the test the library. Bytes travel as numbers. */
import { joinPool, type Member, type Pool, type PoolOptions, type PoolRecord, type Reign } from '@jel/jel'

/** A member as the test reads it. */
interface MemberText {
  readonly id: string
  readonly incarnation: number
  readonly location: string
  readonly tag: readonly number[]
}

declare global {
  var pool: Pool | undefined
  /** Receives each event of the pool. The test provides it. */
  var told: ((event: unknown, list: number) => Promise<void>) | undefined
  var enter: (name: string, options: PoolOptions & { bytes?: readonly number[] }) => Promise<number>
  /** Calls a method of the pool. */
  var call: (method: string, ...args: readonly unknown[]) => Promise<unknown>
}

const member = ({ id, incarnation, location, tag }: Member): MemberText => ({ id, incarnation, location, tag: [...tag] })
const reign = ({ election, epoch, winner }: Reign): unknown => ({ election, epoch, winner: member(winner) })
const record = ({ name, owner, version, value }: PoolRecord): unknown => ({ name, owner, version, value: value && [...value] })
const bytes = (numbers: unknown): Uint8Array => Uint8Array.from(numbers as readonly number[])

/** `list`: 0, or the number of a subscription. */
function tell(event: unknown, list = 0): void {
  void globalThis.told?.(event, list)
}

/** Joins, echoes streams, and reports events. Returns the time that the join took, ms. */
globalThis.enter = async (name, { bytes: tag, ...options }) => {
  const began = performance.now()
  const pool = await joinPool(name, { ...options, ...(tag && { tag: bytes(tag) }) })
  globalThis.pool = pool
  const took = performance.now() - began
  await pool.handle('/echo/1', (stream) => {
    stream.addEventListener('message', ({ data }) => void stream.send(data))
  })
  void follow(pool)
  pool.addEventListener('elected', ({ detail }) => tell({ type: 'elected', reign: reign(detail) }))
  for (const each of pool.records()) tell({ type: 'record', record: record(each) })
  pool.addEventListener('record', ({ detail }) => tell({ type: 'record', record: record(detail) }))
  pool.addEventListener('event', ({ detail }) =>
    tell({ type: 'event', name: detail.name, payload: [...detail.payload], from: member(detail.from) }),
  )
  pool.addEventListener('signal', ({ detail }) => tell({ type: 'signal', name: detail.name, from: member(detail.from) }))
  return took
}

async function follow(pool: Pool, list?: number): Promise<void> {
  for await (const { type, member: subject } of pool.changes()) tell({ type, member: member(subject) }, list)
}

const waits = new Map<number, AbortController>()

globalThis.call = async (method, ...args) => {
  const { pool } = globalThis
  if (pool === undefined) throw new Error('this tab is in no pool')
  const [first, second, third] = args
  switch (method) {
    case 'members':
      return pool.members().map(member)
    case 'elect':
    case 'electionResult': {
      const wait = new AbortController()
      waits.set(second as number, wait)
      return reign(await pool[method](first as string, { signal: wait.signal }))
    }
    case 'abort':
      waits.get(first as number)?.abort()
      return undefined
    case 'records':
      return pool.records(first as string | undefined).map(record)
    case 'publish':
      await pool.publish(first as string, bytes(second), { ttl: third as number })
      return undefined
    case 'setTag':
      await pool.setTag(bytes(first))
      return undefined
    case 'broadcast':
      await pool.broadcast(first as string, bytes(second))
      return undefined
    case 'withdraw':
    case 'maybeDead':
    case 'unpublish':
      await pool[method](first as string)
      return undefined
    case 'signal':
      await pool.signal(first as string, second as string[])
      return undefined
    case 'watch':
      void follow(pool, first as number)
      return undefined
    case 'leave':
      await pool.leave()
      return undefined
    default:
      throw new Error(`there is no ${method}`)
  }
}
