import type { PoolRecord } from '@jel/overlay'
import type { Termination } from './events.ts'
import { OWN_RECORDS } from './names.ts'
import type { PoolHost } from './pool-host.ts'

const NAME = `${OWN_RECORDS}terminated`
/** As long as a record may live, ms: 31 days. */
const LIFETIME = 2_678_400_000

/** What a record says of the end of a pool. */
function terminationOf({ name, owner, version, value }: PoolRecord): Termination | undefined {
  return name === NAME && value !== undefined ? { by: owner, at: version } : undefined
}

/** Whether a pool was terminated, as far as its records say: the first time counts. */
export function findTermination(host: PoolHost): Termination | undefined {
  const all = host.records(NAME).flatMap((record) => terminationOf(record) ?? [])
  return all.sort((one, other) => one.at - other.at || (one.by < other.by ? -1 : 1))[0]
}

/** That a member terminated the pool, known to all by a record that its key signed. Any member may. */
export class Terminations {
  readonly #host: PoolHost
  readonly #first = Promise.withResolvers<void>()
  readonly promise = this.#first.promise
  /** As this node knows it. It does not end. */
  current: Termination | undefined

  constructor(host: PoolHost) {
    this.#host = host
    this.promise.catch(() => {}) // nobody may wait
    this.take()
  }

  /** A record is new. The termination, if it is news. */
  take(): Termination | undefined {
    if (this.current !== undefined) return undefined
    this.current = findTermination(this.#host)
    if (this.current !== undefined) this.#first.resolve()
    return this.current
  }

  async terminate(): Promise<void> {
    if (this.current === undefined) await this.#host.publish(NAME, new Uint8Array(), { ttl: LIFETIME })
  }

  close(error: Error): void {
    this.#first.reject(error)
  }
}
