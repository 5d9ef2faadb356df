import { toString } from 'uint8arrays'
import type { Configuration } from '../core/configuration.ts'
import type { Seat } from '../core/seat.ts'
import { LedgerConflictError, LedgerMissingError } from '../errors.ts'
import { digest } from './digest.ts'
import { pause } from '@jel/overlay'
import type { LedgerPort } from './port.ts'
import { readSeat } from './seat-constant.ts'

/** The interval at which a member without a ledger looks for one, ms. A guess. */
const POLL = 50

/**
 * How a ledger begins. A person names the founders: processes that know neither each other nor
 * their number can't agree on a first group of voters. So no member founds a ledger with the
 * members that it happens to see.
 */
export type Founding =
  /** This member alone is the first voter. Give this option to one member only. */
  | { readonly by: 'member' }
  /**
   * These ids are the first voters, and more than half of them must agree. All members give the
   * same ids.
   */
  | { readonly by: 'ids'; readonly ids: readonly string[] }
  /**
   * Any ids are the first voters, and more than half of `size` must agree. All members give the
   * same size.
   */
  | { readonly by: 'size'; readonly size: number }

/** The name of a ledger, and the part of this member in its founding. */
export interface Beginning {
  readonly ledger: string
  /**
   * The first groups of voters, for a founder with this seat. Undefined: this member founds no
   * ledger. It enters one.
   */
  readonly groups?: (own: Seat) => Configuration['groups']
}

/**
 * Returns the part of this member in a founding. Undefined: it must not found a ledger a second
 * time. Founders by ids or by a number compute the same name without a message.
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
   * must not found a ledger a second time.
   */
  readonly isNew: boolean
  /** See `LedgerNodeOptions.mayFound`. */
  readonly mayFound: () => boolean
  /** Whether to give up. */
  readonly isOver: () => boolean
  /** Called if this member may have founded a ledger before, and has lost its store. */
  readonly onLost: () => void
}

/**
 * Founds a ledger, or waits until another member states one.
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
    await pause(POLL)
    if (isOver())
      throw new LedgerMissingError(
        `the pool ${JSON.stringify(port.pool)} has no ledger: one member must found it (found), or all must name its founders or the size of the pool`,
      )
  }
}

/** Makes a random name for a new ledger. */
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
 * Returns the ledger of the highest generation that the other members state.
 *
 * @param options `own`: the ledger of this member counts, too; `except`: this one does not
 * @throws LedgerConflictError if the members state two ledgers of that generation
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
