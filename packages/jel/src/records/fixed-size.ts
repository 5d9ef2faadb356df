import type { PoolRecord } from '@jel/overlay'
import { OWN_RECORDS, OWN_RECORDS_TTL, isOwnRecord } from '../base/arguments.ts'
import { byJoin, type Member } from '../base/member.ts'
import { PoolClosedError, PoolSizeMismatchError } from '../errors.ts'
import type { PoolHost } from '../base/host.ts'
import type { Session } from '../base/session.ts'
import { later } from '../base/timers.ts'

const SIZE = `${OWN_RECORDS}size`
const CLOSED = `${OWN_RECORDS}closed`
/**
 * How long the first member waits after enough members have joined, ms. So it knows all members
 * that join at the same time. Guess: everybody knows of a join within half of this time.
 */
const SETTLE = 1_000
/**
 * One record is enough, so the members take turns. Each waits `each` ms longer than the member that
 * joined before it. No turn comes later than `most` ms. Guess.
 */
const TURN = { each: 100, most: 5_000 }

/**
 * Returns the reason why this node may not stay in the pool that it has entered. Undefined: it may
 * stay. `size` is the `poolSize` option of this node.
 */
export function sizeProblem(host: PoolHost, size: number | undefined): Error | undefined {
  const announced = sizesIn(host, SIZE)
  const other = announced.find((each) => each !== size)
  if (size !== undefined && other !== undefined) return new PoolSizeMismatchError(host.pool, size, other)
  const most = size ?? announced[0]
  if (most === undefined) return undefined
  const isFull = sizesIn(host, CLOSED).includes(most) || before(host.members(), host.self) >= most
  return isFull ? new PoolClosedError(host.pool, most) : undefined
}

/**
 * A pool for a fixed number of members (a closed world in the Ibis Portability Layer). One member
 * announces the size by a record. When that many members have joined, one member announces by
 * another record that the pool is closed. Members that are gone count as well. Members beyond the
 * size leave: those that come last in the order of joining. Any member can publish these records.
 * So a member that did not ask for a fixed size stays.
 */
export class FixedSize {
  readonly #session: Session
  /** Whether this member asked for a fixed size. */
  readonly #isFixed: boolean
  readonly #host: PoolHost
  readonly #end = Promise.withResolvers<void>()
  readonly promise = this.#end.promise
  /** The first join of each id. Kept until the pool is closed. */
  readonly #joined = new Map<string, Pick<Member, 'id' | 'joinedAt'>>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #warned = false
  size: number | undefined
  isClosed = false

  constructor(session: Session) {
    const { poolSize: size } = session.parts
    this.#session = session
    this.#isFixed = size !== undefined
    this.#host = session.host
    this.size = size
    this.promise.catch(() => {}) // perhaps nobody waits for it
    session.listen(
      {
        joined: ({ member }) => this.#joinedNow(member),
        record: ({ record }) => isOwnRecord(record.name) && this.#review(),
        gap: () => this.#review(),
      },
      (error) => {
        clearTimeout(this.#timer)
        this.#end.reject(error)
      },
    )
    this.#review()
    if (size !== undefined && !sizesIn(this.#host, SIZE).includes(size)) void this.#publish(SIZE, size)
  }

  /** Counts a member that joined. */
  #joinedNow(member: Member): void {
    if (this.size === undefined || this.isClosed) return
    this.#count(member)
    this.#close()
  }

  /** Reacts to changed records or members. */
  #review(): void {
    const announced = sizesIn(this.#host, SIZE)
    this.size ??= announced[0]
    const { size } = this
    if (size === undefined) return
    const other = announced.find((each) => each !== size)
    if (other !== undefined && !this.#warned) {
      this.#warned = true
      const { code, message } = new PoolSizeMismatchError(this.#host.pool, size, other)
      this.#session.warn(code, message)
    }
    if (this.isClosed) return
    for (const member of this.#host.members()) this.#count(member)
    if (sizesIn(this.#host, CLOSED).includes(size)) this.#closed(size)
    else this.#close()
  }

  #count(member: Pick<Member, 'id' | 'joinedAt'>): void {
    const first = this.#joined.get(member.id)
    if (first === undefined || byJoin(member, first) < 0) this.#joined.set(member.id, member)
  }

  /**
   * If enough members have joined, announces that the pool is closed, unless another member
   * announces it first.
   */
  #close(): void {
    const { size } = this
    if (size === undefined || this.#timer !== undefined || this.#joined.size < size) return
    const turn = Math.min(before(this.#host.members(), this.#host.self) * TURN.each, TURN.most)
    this.#timer = later(() => void this.#publish(CLOSED, size), SETTLE + turn)
  }

  #closed(size: number): void {
    clearTimeout(this.#timer)
    this.isClosed = true
    const isExcess = this.#isFixed && before([...this.#joined.values()], this.#host.self) >= size
    this.#joined.clear()
    if (isExcess) void this.#session.expel(new PoolClosedError(this.#host.pool, size))
    else {
      this.#end.resolve()
      this.#session.emit('poolClosed', { size })
    }
  }

  async #publish(name: string, size: number): Promise<void> {
    try {
      await this.#host.publish(name, new TextEncoder().encode(String(size)), { ttl: OWN_RECORDS_TTL })
    } catch (error) {
      // This node has left the pool meanwhile, or the pool is full of records.
      this.#session.warn('POOL_SIZE_UNTOLD', `${name} could not be published: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Returns how many of these members joined before `self`. */
function before(members: readonly Pick<Member, 'id' | 'joinedAt'>[], self: Member): number {
  return members.filter((member) => member.id !== self.id && byJoin(member, self) < 0).length
}

/** Returns the sizes in the records of this name, sorted. Ignores values that are not a size. */
function sizesIn(host: PoolHost, name: string): number[] {
  const sizes = host.records(name).flatMap((record) => sizeOf(record, name) ?? [])
  return [...new Set(sizes)].sort((a, b) => a - b)
}

function sizeOf(record: PoolRecord, name: string): number | undefined {
  if (record.name !== name || record.value === undefined || record.value.length > 10) return undefined
  const size = Number(new TextDecoder().decode(record.value))
  return Number.isSafeInteger(size) && size > 0 ? size : undefined
}
