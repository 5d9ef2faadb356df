import { joinShared, NOTHING_SHARED, offerBytes, SHARED_TOO_LARGE, uniteShared, type Offer, type Shared } from '../core/shared-value.ts'
import type { SharedDefinition } from './definitions.ts'
import { decodeValue, encodeValue } from './values.ts'

/**
 * For a job with votes. `given`: the shared values that a task got or offered. `offers`: its offers
 * alone. The task sees no other values, so it gives the same value at each member.
 */
export interface OwnValues {
  given: Shared
  offers: Shared
}

/** The offer is too large, or does not fit beside the offers of others. */
class SharedTooLargeError extends Error {
  readonly code = SHARED_TOO_LARGE
}

/** The shared values of a program. Its tasks read and offer them. */
export class SharedValues {
  /** The values of the job, as far as this member knows them. */
  #known: Shared = NOTHING_SHARED
  readonly #names = new Map<unknown, string>()
  readonly #decoded = new Map<string, { readonly offer: Offer; readonly value: unknown }>()
  /** The values of the task that runs; undefined: those of the job. */
  readonly #own: () => OwnValues | undefined
  readonly #offered: (shared: Shared) => void

  /** @param declared the program's shared values in the order of their declaration */
  constructor(
    declared: readonly SharedDefinition<never>[],
    events: { readonly own: () => OwnValues | undefined; readonly offered: (shared: Shared) => void },
  ) {
    this.#own = events.own
    this.#offered = events.offered
    for (const [index, definition] of declared.entries()) this.#bind(`s${index}`, definition)
  }

  get known(): Shared {
    return this.#known
  }

  nameOf(definition: unknown): string | undefined {
    return this.#names.get(definition)
  }

  /** Joins values of other members. */
  join(shared: Shared): void {
    this.#known = joinShared(this.#known, this.declared(shared))
  }

  /**
   * Drops names that the program does not declare: a peer made them up. Otherwise they would travel
   * with each outcome.
   */
  declared(shared: Shared): Shared {
    const names = new Set(this.#names.values())
    return new Map([...shared].filter(([name]) => names.has(name)))
  }

  #bind(name: string, definition: SharedDefinition<never>): void {
    this.#names.set(definition, name)
    const { rule, key } = definition.join
    definition.port = {
      value: () => this.#valueOf(name),
      offer: (value) => {
        const order = key(value as never)
        if (typeof order !== 'number' || Number.isNaN(order))
          throw new TypeError(`the key of an offer must be a number, not ${String(order)}`)
        const bytes = encodeValue(value)
        const most = offerBytes(this.#names.size)
        if (bytes.length > most)
          throw new SharedTooLargeError(`an offer of ${bytes.length} bytes; of ${this.#names.size} shared values each may have ${most}`)
        this.#offer(new Map([[name, { rule, key: order, values: [bytes] }]]))
      },
    }
  }

  #offer(offered: Shared): void {
    const own = this.#own()
    const before = own?.given ?? this.#known
    const joined = uniteShared(before, offered)
    if (joined === undefined) throw new SharedTooLargeError('with this offer the shared values of the job take more than 2 MiB')
    if (joined === before) return
    if (own === undefined) {
      this.#known = joined
      this.#offered(joined)
    } else {
      own.given = joined
      own.offers = joinShared(own.offers, offered)
    }
  }

  #valueOf(name: string): unknown {
    const offer = (this.#own()?.given ?? this.#known).get(name)
    if (offer === undefined) return undefined
    const decoded = this.#decoded.get(name)
    if (decoded?.offer === offer) return decoded.value
    const value = offer.rule === 'union' ? offer.values.map(decodeValue) : decodeValue(offer.values[0] as Uint8Array)
    this.#decoded.set(name, { offer, value })
    return value
  }
}
