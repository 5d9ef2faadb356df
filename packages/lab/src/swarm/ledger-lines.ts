/** The lines of a node about the ledger. */
import type { Line } from './start-node.ts'

export interface LedgerLine extends Line {
  /** A place in the ledger, or the last one that the node knows. */
  readonly index?: number
  /** The winner of a reign; null if nobody reigns. */
  readonly winner?: { readonly id: string } | null
  readonly state?: string
  /** The ids of the leader and of the voters. */
  readonly leader?: string | null | undefined
  readonly voters?: readonly Voter[]
}

export interface Voter {
  readonly id: string
  /** True if the voter has a file. */
  readonly durable: boolean
  readonly reachable: boolean
}

/** Asks a member. Returns undefined if no answer comes within `timeout` ms. */
export type Ask = (command: Readonly<Record<string, unknown>>, timeout: number) => Promise<LedgerLine | undefined>

/** The content of an ordered message. */
export function contentOf({ payload = '' }: LedgerLine): string {
  return Buffer.from(payload, 'base64').toString()
}

/** The reign in a line; undefined: nobody reigns. */
export function reignIn({ epoch, winner, node }: LedgerLine): { readonly epoch: number; readonly winner: string } | undefined {
  const id = winner?.id ?? node?.id
  return id === undefined || epoch === undefined ? undefined : { epoch, winner: id }
}
