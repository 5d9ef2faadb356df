import type { PoolRecord } from '@jel/overlay'
import type { Termination } from '../base/events.ts'
import { OWN_RECORDS, OWN_RECORDS_TTL } from '../base/arguments.ts'
import type { PoolHost } from '../base/host.ts'

const NAME = `${OWN_RECORDS}terminated`

/** Returns the termination of a pool that a record states. */
function terminationOf({ name, owner, version, value }: PoolRecord): Termination | undefined {
  return name === NAME && value !== undefined ? { by: owner, at: version } : undefined
}

/** Returns the first termination of a pool in its records, if there is one. */
export function findTermination(host: PoolHost): Termination | undefined {
  const all = host.records(NAME).flatMap((record) => terminationOf(record) ?? [])
  return all.sort((one, other) => one.at - other.at || (one.by < other.by ? -1 : 1))[0]
}

/**
 * The termination of the pool by a member. All members learn of it from a record that this member
 * signed. Any member may terminate a pool.
 */
export class Terminations {
  readonly #host: PoolHost
  readonly #first = Promise.withResolvers<void>()
  readonly promise = this.#first.promise
  /** The termination that this node knows of. It is never taken back. */
  current: Termination | undefined

  constructor(host: PoolHost) {
    this.#host = host
    this.promise.catch(() => {}) // perhaps nobody waits for it
    this.take()
  }

  /** Looks for a termination in the records. Returns it if it is new. */
  take(): Termination | undefined {
    if (this.current !== undefined) return undefined
    this.current = findTermination(this.#host)
    if (this.current !== undefined) this.#first.resolve()
    return this.current
  }

  async terminate(): Promise<void> {
    if (this.current === undefined) await this.#host.publish(NAME, new Uint8Array(), { ttl: OWN_RECORDS_TTL })
  }

  close(error: Error): void {
    this.#first.reject(error)
  }
}
