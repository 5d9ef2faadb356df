import type { Problem } from './reading.ts'
import type { Sample } from './ring.ts'

/** The last sample that a consumer has of an attribute, before its stream broke. */
export interface Since {
  /** Names the series. After a restart the attribute has a series with another number. */
  readonly series: number
  readonly seq: number
}

/** A message to a consumer. `index`: the position of the attribute in the list of the watch. */
export type Row =
  | ({ readonly type: 'sample'; readonly index: number; readonly series: number; readonly replayed: boolean } & Sample & {
        /** Whether the condition of the watch is true. Undefined: the watch has no condition. */
        readonly holds?: boolean | undefined
        /**
         * The number of members whose values this value combines. Undefined: the value is that of
         * one member.
         */
        readonly count?: number
      })
  | { readonly type: 'problem'; readonly index: number; readonly problem: Problem }
  /**
   * `missing` samples are not in the ring any more, or were never measured because nobody watched.
   */
  | { readonly type: 'gap'; readonly index: number; readonly missing: number }
  /** `count` samples were dropped, because the consumer was slow. */
  | { readonly type: 'lost'; readonly count: number }
