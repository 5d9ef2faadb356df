import { toString } from 'uint8arrays'
import type { Configuration } from '../core/configuration.ts'
import type { Seat } from '../core/seat.ts'
import { LedgerConflictError, LedgerMissingError } from '../errors.ts'
import { digest } from './digest.ts'
import type { LedgerPort } from './port.ts'
import { readSeat } from './seat-constant.ts'

/** The interval at which a member without a ledger looks for one, ms. A guess. */
const POLL = 50

/**
 * How a ledger begins. Somebody must say whom to count: processes that know neither each other nor
 * their number cannot agree on a first group. So no member founds a ledger by the members that it
 * sees.
 */
export type Founding =
  /** This member alone is the first voter. Give it to one member. */
  | { readonly by: 'member' }
  /** More than half of these ids are the first voters. All members give the same ids. */
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  /** More than half of any so many ids. All members give the same size. */
  | { readonly by: 'size'; readonly size: number }

/** The name of the first ledger of a pool, and what this member is in it. */
export interface Beginning {
  readonly ledger: string
  /** The first groups of voters, for a member with this seat. Undefined: it founds nothing. */
  readonly groups?: (own: Seat) => Configuration['groups']
}

/**
 * Returns the beginning of a ledger that this member founds. Founders by ids or by a number agree
 * on the name without a word.
 *
 * @param isNew see {@link BeginOptions}
 */
function beginningOf(founding: Founding, pool: string, id: string, isNew: boolean): Beginning | undefined {
  switch (founding.by) {
    case 'member':
      return isNew ? { ledger: newLedger(1), groups: (own) => [{ seats: [own] }] } : undefined
    case 'ids': {
      const ids = [...new Set(founding.ids)].toSorted()
      return { ledger: named(pool, ids.join(' ')), ...(isNew && ids.includes(id) && { groups: () => [{ ids }] }) }
    }
    case 'size': {
      const { size } = founding
      return { ledger: named(pool, `size ${size}`), ...(isNew && { groups: () => [{ anyOf: size }] }) }
    }
  }
}

export interface BeginOptions {
  readonly founding: Founding | undefined
  /**
   * Whether this member can't have taken part in a founding before. A founder that lost its store
   * must not found once more.
   */
  readonly isNew: boolean
  /** Whether this member would see a ledger that there is: it has met others, or needs none. */
  readonly mayFound: () => boolean
  /** Whether to give up. */
  readonly isOver: () => boolean
  /** This member may have founded a ledger before, and has lost its store. */
  readonly onLost: () => void
}

/**
 * Founds a ledger, or waits until another member shows one.
 *
 * @throws LedgerMissingError, LedgerConflictError
 */
export async function begin(
  port: Pick<LedgerPort, 'pool' | 'self' | 'members'>,
  { founding, isNew, mayFound, isOver, onLost }: BeginOptions,
): Promise<Beginning> {
  const own = founding === undefined ? undefined : beginningOf(founding, port.pool, port.self.id, isNew)
  if (founding !== undefined && own === undefined) onLost()
  for (;;) {
    const known = ledgerOf(port)
    if (own !== undefined && (known === own.ledger || (known === undefined && mayFound()))) return own
    if (own !== undefined && founding?.by !== 'member' && known !== undefined && generationOf(known) === 1)
      throw new LedgerConflictError(`the pool has the ledger ${known}, and this member's founders or size name ${own.ledger}`)
    if (known !== undefined) return { ledger: known }
    await new Promise((resolve) => setTimeout(resolve, POLL))
    if (isOver())
      throw new LedgerMissingError(
        `the pool ${JSON.stringify(port.pool)} has no ledger: one member must found it (found), or all must name its founders or the size of the pool`,
      )
  }
}

/** Makes the name of a ledger that nobody else makes. */
export function newLedger(generation: number): string {
  return `${generation}-${toString(crypto.getRandomValues(new Uint8Array(16)), 'base16')}`
}

export function generationOf(ledger: string): number {
  return Number(ledger.slice(0, ledger.indexOf('-')))
}

function named(pool: string, founders: string): string {
  const text = new TextEncoder().encode(`jel ledger\0${pool}\0${founders}`)
  return `1-${toString(digest(text).subarray(0, 16), 'base16')}`
}

/**
 * The ledger that the other members have: the one of the highest generation.
 *
 * @param options `own`: the ledger of this member counts, too; `except`: this one does not
 * @throws LedgerConflictError if they have two of that generation
 */
export function ledgerOf(
  port: Pick<LedgerPort, 'pool' | 'self' | 'members'>,
  { own, except }: { readonly own?: string | undefined; readonly except?: string } = {},
): string | undefined {
  const others = port.members().filter(({ id }) => id !== port.self.id)
  const stated = new Set([...(own === undefined ? [] : [own]), ...others.flatMap((member) => readSeat(member)?.ledger ?? [])])
  if (except !== undefined) stated.delete(except)
  const generation = Math.max(0, ...[...stated].map(generationOf))
  const latest = [...stated].filter((each) => generationOf(each) === generation).toSorted()
  if (latest.length > 1) {
    const owners = latest.map(
      (each) => `${each} (${each === own ? 'this member' : (others.find((member) => readSeat(member)?.ledger === each)?.id ?? '')})`,
    )
    throw new LedgerConflictError(`the pool ${JSON.stringify(port.pool)} has ${latest.length} ledgers: ${owners.join(', ')}`)
  }
  return latest[0]
}
