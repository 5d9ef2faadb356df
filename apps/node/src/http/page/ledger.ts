/** The tile of the ledger. A pool without one has no tile. */
import type { LedgerJson } from '../../events/ledger.ts'
import { ledgerDetails, ledgerState } from '../../model/ledger-text.ts'

/** Shows the state of the ledger, and its voters where the mouse rests. */
export function writeLedger(tile: HTMLElement, ledger: LedgerJson | undefined): void {
  tile.hidden = ledger === undefined
  const [, state, details] = tile.children as unknown as readonly HTMLElement[]
  if (ledger === undefined || state === undefined || details === undefined) return
  state.textContent = ledgerState(ledger)
  state.className = ledger.state === 'ready' ? 'good' : 'bad'
  details.textContent = ledgerDetails(ledger)
  tile.title = ledger.voters.map(({ id, reachable }) => `${id}${reachable ? '' : ' (unreachable)'}`).join('\n')
}
