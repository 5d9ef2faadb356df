import type { Problem } from './reading.ts'
import type { Sample } from './ring.ts'

/** The last sample that a consumer has of an attribute, before its stream broke. */
export interface Since {
  /** Names the series: a restarted one has another number. */
  readonly series: number
  readonly seq: number
}

/** A message to a consumer. `index`: the place of the attribute in the watch. */
export type Row =
  | ({ readonly type: 'sample'; readonly index: number; readonly series: number; readonly replayed: boolean } & Sample & {
        /** Whether the condition of the watch holds; undefined: it has none. */
        readonly holds?: boolean | undefined
        /** The number of members whose values are in this one; undefined: one. */
        readonly count?: number
      })
  | { readonly type: 'problem'; readonly index: number; readonly problem: Problem }
  /**
   * The samples between two numbers are not in the ring any more, or were never measured, since
   * nobody watched.
   */
  | { readonly type: 'gap'; readonly index: number; readonly missing: number }
  /** So many samples were not sent, since the consumer was slow. */
  | { readonly type: 'lost'; readonly count: number }
