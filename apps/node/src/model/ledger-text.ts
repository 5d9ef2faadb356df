import type { LedgerJson } from '../events/ledger.ts'
import { counted, shortId } from '../events/quantity.ts'

const STATES: Readonly<Record<LedgerJson['state'], string>> = { ready: 'ready', 'no-majority': 'no majority', stopped: 'reads only' }

/** Describes the state of a ledger in a word or two. */
export function ledgerState({ state }: LedgerJson): string {
  return STATES[state]
}

/** Describes the rest: the term, the leader, the voters, the last entry. */
export function ledgerDetails({ term, leader, voters, index }: LedgerJson): string {
  const missing = voters.filter(({ reachable }) => !reachable).length
  const unreachable = missing === 0 ? '' : ` (${missing} unreachable)`
  const led = leader === null ? 'no leader' : `leader ${shortId(leader)}`
  return `term ${term}, ${led}, ${counted(voters.length, 'voter')}${unreachable}, index ${index}`
}

export function ledgerText(ledger: LedgerJson): string {
  return `${ledgerState(ledger)}, ${ledgerDetails(ledger)}`
}
