import type { PoolOptions } from '@jel/jel'
import { UsageError } from './base/usage-error.ts'
import { WHOLE_ID } from './base/whole-id.ts'

/** The flags for joins in one order, elections with one winner, and the ledger that both need. */
export interface LedgerFlags {
  readonly joins?: 'reliable' | 'unreliable'
  readonly elections?: 'uniform' | 'non-uniform'
  readonly foundLedger?: boolean
  readonly founders?: readonly string[]
  readonly voters?: number
  /** False: this node is no voter. */
  readonly vote?: boolean
  readonly poolSize?: number
}

/** Whether the flags ask for a level that needs a ledger. */
export function needsLedger({ joins, elections }: LedgerFlags): boolean {
  return joins === 'reliable' || elections === 'uniform'
}

/** @throws UsageError that names the flag */
export function ledgerOptions(flags: LedgerFlags): Pick<PoolOptions, 'joins' | 'elections' | 'ledger'> {
  const { joins, elections, foundLedger = false, founders = [], voters, vote = true, poolSize } = flags
  const given = [
    ...(foundLedger ? ['--found-ledger'] : []),
    ...(founders.length > 0 ? ['--founders'] : []),
    ...(voters === undefined ? [] : ['--voters']),
    ...(vote ? [] : ['--no-vote']),
  ]
  const levels = { ...(joins !== undefined && { joins }), ...(elections !== undefined && { elections }) }
  if (!needsLedger(flags)) {
    if (given[0] === undefined) return levels
    throw new UsageError(`${given[0]}: is about the ledger of --joins reliable and --elections uniform: give one of them`)
  }
  if (foundLedger && founders.length > 0) throw new UsageError('--found-ledger and --founders both say who founds the ledger: give one')
  if (joins === 'reliable' && poolSize !== undefined && (foundLedger || founders.length > 0))
    throw new UsageError(`--pool-size founds the ledger by the number of nodes, and ${given[0]} in another way: give one`)
  return {
    ...levels,
    ledger: {
      ...(foundLedger && { found: true }),
      ...(founders.length > 0 && { founders }),
      ...(voters !== undefined && { voters }),
      ...(!vote && { vote }),
    },
  }
}

/** Parses ids with commas between them. A repeated flag adds more. */
export function foundersOf(text: string, before: readonly string[]): string[] {
  const ids = text.split(',').map((id) => id.trim())
  const wrong = ids.find((id) => !WHOLE_ID.test(id))
  if (wrong !== undefined)
    throw new RangeError(`${JSON.stringify(wrong.slice(0, 64))} is no whole id of a node, as jel keygen --identity prints it.`)
  return [...before, ...ids]
}
