import { hasSeat, isQuorum, seatsOf, type Configuration } from '../src/core/configuration.ts'
import type { Ledger } from '../src/core/ledger.ts'
import type { LedgerMessage } from '../src/core/messages.ts'
import { Reader } from '../src/core/reader.ts'
import type { StoreRecord } from '../src/core/store.ts'
import { Fold } from '../src/fold/fold.ts'
import { fastDigest } from './digest.ts'

/** A member of a history. */
export interface VirtualNode {
  readonly id: string
  /** Undefined: it is down. */
  ledger: Ledger | undefined
  /** Grows with each start, so that older timers and writes are void. */
  life: number
  synced: StoreRecord[]
  unsynced: { readonly number: number; readonly record: StoreRecord }[]
  held: { readonly to: string; readonly after: number; readonly message: LedgerMessage }[]
  isSyncing: boolean
  wake: number
  stalledUntil: number
  fold: Fold
  folded: number
  saved: { readonly index: number; readonly state: Uint8Array } | undefined
  reader: Reader
  /** Number of stores that it lost. */
  lost: number
}

export function makeNode(id: string, ledger: string): VirtualNode {
  return {
    id,
    ledger: undefined,
    life: 0,
    synced: [],
    unsynced: [],
    held: [],
    isSyncing: false,
    wake: Infinity,
    stalledUntil: 0,
    fold: new Fold(readStatement),
    folded: 0,
    saved: undefined,
    reader: new Reader(fastDigest, ledger),
    lost: 0,
  }
}

export function describeNode({ id, ledger }: VirtualNode): string {
  if (ledger === undefined) return `${id} is down`
  const { seat, role, term, leader, commit, log, configuration, seen } = ledger.state
  const end = `commit ${commit}, log ${log.lastIndex} of term ${log.lastTerm}, voters ${JSON.stringify(configuration.groups)} at ${log.latest.index}`
  return `${seat} ${role} in term ${term}, leader ${leader}, ${end}, sees ${seen.length}`
}

/** Whether a configuration has a quorum without these seats. */
export function isSafeWithout(configuration: Configuration, dead: ReadonlySet<string>): boolean {
  const seats = seatsOf(configuration)
  return (
    seats.length > 0 &&
    isQuorum(
      configuration,
      seats.filter((seat) => !dead.has(seat) && hasSeat(configuration, seat)),
    )
  )
}

/** A statement of the tests: `id incarnation`. */
export function readStatement(bytes: Uint8Array): { id: string; incarnation: number } | undefined {
  const [id, incarnation] = new TextDecoder().decode(bytes).split(' ')
  return id === undefined || incarnation === undefined ? undefined : { id, incarnation: Number(incarnation) }
}
