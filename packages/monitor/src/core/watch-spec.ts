import * as v from 'valibot'
import { Expression, MAX_LENGTH } from '../expression/expression.ts'
import { InvalidWatchError } from '../errors.ts'
import type { Milliseconds } from './sensor.ts'
import { REDUCERS, type Reducer } from './window.ts'

/** Maximum number of attributes of a watch. A guess. */
export const MAX_WATCHED = 64
/** Shortest time between two samples, ms: 10 Hz. A guess. */
const SHORTEST: Milliseconds = 100
/** Maximum number of samples of a window: a bit more than an hour at 1 Hz. A guess. */
const MAX_WINDOW = 4096

/** The samples that a consumer wants. */
export interface WatchSpec {
  /** Names of attributes. */
  readonly attributes: readonly string[]
  /** Time between two samples, ms. At least 100. Default: 1,000. */
  readonly every?: Milliseconds | undefined
  /**
   * A condition over the attributes. A sample comes when the condition becomes true or false. With
   * `change` samples come in between, too.
   */
  readonly when?: string | undefined
  /**
   * A sample comes if the value differs from the last sent value by more than this share of that
   * value: 0.2 is 20 %.
   */
  readonly change?: number | undefined
  /**
   * In place of each sample the watch sends the reduced value of the samples of the last `over` ms.
   */
  readonly over?: Milliseconds | undefined
  /** Default: `mean`. Only with `over`. */
  readonly reduce?: Reducer | undefined
}

/** A checked `WatchSpec`. */
export interface ParsedWatch {
  readonly attributes: readonly string[]
  readonly every: Milliseconds
  readonly when: Expression | undefined
  readonly change: number | undefined
  readonly over: Milliseconds | undefined
  readonly reduce: Reducer
  /** The consumer may see only windows, and only full ones. Default: no. */
  readonly isSummary?: boolean
}

const span = (least: number) =>
  v.pipe(v.number(), v.minValue(least, `must be at least ${least}`), v.maxValue(86_400_000, 'must be at most a day'))

/** A `WatchSpec` as it goes over the wire. */
export const watchSpec = v.object({
  attributes: v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(64))),
    v.minLength(1, 'must have a name'),
    v.maxLength(MAX_WATCHED, `must have at most ${MAX_WATCHED} names`),
  ),
  every: v.optional(span(SHORTEST)),
  when: v.optional(v.pipe(v.string(), v.maxLength(MAX_LENGTH))),
  change: v.optional(v.pipe(v.number(), v.minValue(0, 'must be a share, such as 0.2'), v.finite())),
  over: v.optional(span(SHORTEST)),
  reduce: v.optional(v.picklist(REDUCERS, `must be one of ${REDUCERS.join(', ')}`)),
})

/**
 * @param bySite whether to reduce over the members of a site, and not over time
 * @throws InvalidWatchError, InvalidExpressionError
 */
export function parseWatch(spec: unknown, { bySite = false }: { readonly bySite?: boolean } = {}): ParsedWatch {
  const { issues, output } = v.safeParse(watchSpec, spec)
  if (issues !== undefined) throw new InvalidWatchError(`${v.getDotPath(issues[0]) ?? 'watch'}: ${issues[0].message}`)
  const { attributes, every = 1000, change, over, reduce } = output
  if (reduce !== undefined && over === undefined && !bySite) throw new InvalidWatchError('reduce: it needs over, a time, or by: site')
  if (over !== undefined && over / every > MAX_WINDOW)
    throw new InvalidWatchError(
      `over: a window has at most ${MAX_WINDOW} samples: with over ${over} every must be at least ${Math.ceil(over / MAX_WINDOW)}`,
    )
  const when = output.when === undefined ? undefined : conditionOf(output.when)
  const missing = when?.names.find((name) => !attributes.includes(name))
  if (missing !== undefined) throw new InvalidWatchError(`when: ${missing} is not among the watched attributes`)
  return { attributes: [...new Set(attributes)], every, when, change, over, reduce: reduce ?? 'mean' }
}

function conditionOf(text: string): Expression {
  try {
    return Expression.parse(text)
  } catch (error) {
    throw new InvalidWatchError(`when: ${error instanceof Error ? error.message : String(error)}`)
  }
}
