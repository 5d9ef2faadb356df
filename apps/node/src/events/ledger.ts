import type { LedgerStatus } from '@jel/jel'

/** The state of a pool's ledger in JSON. Without a known leader `leader` is null. */
export interface LedgerJson {
  readonly id: string
  readonly generation: number
  readonly state: LedgerStatus['state']
  readonly term: number
  readonly leader: string | null
  readonly voters: LedgerStatus['voters']
  /** The last entry that this node has applied. Without a majority: the last one that it has. */
  readonly index: number
}

export function ledgerJson({ id, generation, state, term, leader, voters, index }: LedgerStatus): LedgerJson {
  return { id, generation, state, term, leader: leader ?? null, voters, index }
}
