import { task, type SharedDefinition, type TaskContext, type TaskDefinition } from './definitions.ts'

/** The indices from `from` to just before `to`: numbers or bigints. */
export type Range = readonly [from: number, to: number] | readonly [from: bigint, to: bigint]

/** Options of a {@link space}. */
export interface SpaceOptions<Value> {
  /** One range per dimension. */
  readonly limits: readonly Range[]
  /**
   * The time that one piece should take, such as `1 s`, `200 ms` or `2 min`. Each worker measures
   * how many indices fit into it. Default: 1 s.
   */
  readonly piece?: string
  /**
   * Unites the values of two neighbouring pieces. It must be associative. Required if pieces return
   * values.
   */
  readonly merge?: (left: Value, right: Value) => Value
  /**
   * The search ends once this shared value has a value. Without `merge` this value is the job's
   * result.
   */
  readonly until?: Pick<SharedDefinition<unknown>, 'kind' | 'value'>
}

/** The time of one index of this space, ms, as measured by this worker. */
interface Rate {
  perIndex: number | undefined
}

/** Weight of the latest piece in the rate. A guess. */
const LATEST = 0.5

/**
 * Defines a task over an index space. The task cuts the space into pieces that take about the
 * requested time, and `fn` runs each piece. The task cuts the space only at fixed points, by powers
 * of two. Fast and slow members cut pieces of different sizes. Of two such pieces one contains the
 * other, or they are disjoint. (Jalapeno's bundles have one size. Its §5.3 asks for such pieces.)
 *
 * @throws TypeError if there is no range, if a range ends before its start, or if the time can't be
 * parsed
 */
export function space<Value = void>(
  options: SpaceOptions<Value>,
  fn: (ranges: readonly Range[], context: TaskContext) => Value | Promise<Value>,
): TaskDefinition<readonly Range[] | undefined, Value | undefined> {
  const { limits, merge, until } = options
  const pieceTime = parseTime(options.piece ?? '1 s')
  if (limits.length === 0 || limits.some(([from, to]) => typeof from !== typeof to || from > to))
    throw new TypeError('space: a range is [from, to], from at most to')
  const rate: Rate = { perIndex: undefined }
  // The shared value that ends a search is also its result.
  const result = until === undefined || merge !== undefined ? {} : { result: until }
  const definition: TaskDefinition<readonly Range[] | undefined, Value | undefined> = task(result, async (given, context) => {
    const ranges = given ?? limits
    if (until?.value !== undefined || ranges.some(([from, to]) => from === to)) return undefined
    const size = sizeOf(ranges)
    const fits = size <= 1 || (rate.perIndex !== undefined && size * rate.perIndex <= pieceTime)
    if (fits && (size <= 1 || !(context as SplittableContext).split)) return await timed(rate, size, () => fn(ranges, context))
    const [left, right] = cut(ranges)
    const [one, other] = await Promise.all([context.run(definition, left), context.run(definition, right)])
    if (one === undefined || other === undefined) return one ?? other
    if (merge === undefined) throw new TypeError('space: its pieces give values; say how two unite: { merge: (left, right) => … }')
    return merge(one, other)
  })
  return definition
}

/**
 * The context of a space. `split`: some parts of this task have outcomes or holders already. Then
 * the task must cut the space into the same parts.
 */
interface SplittableContext extends TaskContext {
  readonly split: boolean
}

async function timed<Value>(rate: Rate, size: number, piece: () => Value | Promise<Value>): Promise<Value> {
  const begin = performance.now()
  const value = await piece()
  const measured = Math.max(performance.now() - begin, 0.001) / size
  rate.perIndex = rate.perIndex === undefined ? measured : rate.perIndex + LATEST * (measured - rate.perIndex)
  return value
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((size, [from, to]) => size * Number(BigInt(to) - BigInt(from)), 1)
}

/** Cuts the longest dimension at the greatest power of two that is less than its length. */
function cut(ranges: readonly Range[]): [readonly Range[], readonly Range[]] {
  let longest = 0
  for (const [index, range] of ranges.entries()) if (lengthOf(range) > lengthOf(ranges[longest] as Range)) longest = index
  const [from, to] = ranges[longest] as Range
  const at = BigInt(from) + half(BigInt(to) - BigInt(from))
  const middle = typeof from === 'bigint' ? at : Number(at)
  return [ranges.with(longest, [from, middle] as Range), ranges.with(longest, [middle, to] as Range)]
}

function lengthOf([from, to]: Range): bigint {
  return BigInt(to) - BigInt(from)
}

function half(length: bigint): bigint {
  return 1n << BigInt((length - 1n).toString(2).length - 1)
}

function parseTime(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|min)$/u.exec(text) ?? []
  if (amount === undefined) throw new TypeError(`space: give the time of a piece as in "1 s" or "200 ms", not ${JSON.stringify(text)}`)
  return Number(amount) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : 60_000)
}
