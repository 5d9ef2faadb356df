import type { GroupContent } from './messages.ts'

/** An effect of a rank, for its member. */
export type RankEffect =
  | { readonly type: 'send'; readonly to: string; readonly content: GroupContent }
  /** The group starts: the hold becomes a lease, and the program is loaded. */
  | { readonly type: 'start' }
  | { readonly type: 'retry' }
  /** All ranks have checked in or are lost: the program runs, or goes on in this epoch. */
  | { readonly type: 'run' }
  | { readonly type: 'lost'; readonly place: string; readonly reason: string }
  | { readonly type: 'revoked'; readonly epoch: number }
  /** The ranks of the next epoch. */
  | { readonly type: 'next'; readonly epoch: number; readonly ranks: readonly string[]; readonly sites: Sites }
  /** This rank can't join the group. */
  | { readonly type: 'over'; readonly why: string }

/** The site of each rank, as the starter states it, so that all ranks have the same tree. */
export type Sites = readonly string[]

/** The lock of a hold, with which a rank begins. */
export interface Lock {
  readonly attempt: number
  readonly ranks: readonly string[]
  readonly sites: Sites
  /** JSON */
  readonly input: string
  /** The group grows: later epochs may have newcomers. */
  readonly grows?: boolean | undefined
  /** This rank is a newcomer. It joins with a later epoch of the other ranks. */
  readonly joins?: boolean | undefined
}
