/**
 * Decides whether a history is linearizable: whether each operation can have taken effect in one
 * moment between its call and its return, so that the outputs are those of a sequential model.
 *
 * The search is that of Wing and Gong, "Testing and verifying concurrent objects" (1993). As in
 * Lowe, "Testing for linearizability" (2017), it remembers each set of placed operations with its
 * state, and goes on from it only once. Porcupine works in the same way. A caller splits a history
 * into independent objects first, because the time grows exponentially with the number of
 * operations at once.
 */
import type { Model, Operation } from './model.ts'
import { Pending, type Call } from './pending.ts'

export type Verdict<Input, Output> =
  | { readonly outcome: 'linearizable' }
  /**
   * `unknown`: the budget is spent. This proves nothing, so it counts as a failure. `stuck` is the
   * latest operation that the search could not place before its return. `state` is the state in
   * which the search turned back there.
   */
  | { readonly outcome: 'refused' | 'unknown'; readonly stuck: Operation<Input, Output> | undefined; readonly state: string }

/**
 * Maximum number of steps of the model. The memory has at most as many entries, of about 100 bytes.
 * A guess.
 */
const STEPS = 500_000

export function check<State, Input, Output>(
  { initial, step, key }: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
  steps = STEPS,
): Verdict<Input, Output> {
  const pending = new Pending(history)
  const seen = new Set<string>()
  const path: { readonly call: Call<Input, Output>; readonly before: State }[] = []
  let state = initial
  let furthest: { readonly stuck: Operation<Input, Output> | undefined; readonly state: string } = { stuck: undefined, state: key(initial) }
  let returned = -Infinity
  let taken = 0
  let next = pending.first
  while (!pending.isEmpty) {
    if (next?.type === 'call') {
      if (++taken > steps) return { outcome: 'unknown', ...furthest }
      const { input, output } = next.operation
      const after = step(state, input, output)
      // An operation that nobody saw, and that changes nothing, need not be placed.
      const isIdle = after !== undefined && next.end === undefined && key(after) === key(state)
      if (after !== undefined && !isIdle) {
        pending.take(next)
        const name = `${pending.name()} ${key(after)}`
        if (!seen.has(name)) {
          seen.add(name)
          path.push({ call: next, before: state })
          state = after
          next = pending.first
          continue
        }
        pending.putBack(next)
      }
      next = next.next
      continue
    }
    // The operation that returns here must have been placed before.
    if (next !== undefined && next.returned > returned) {
      returned = next.returned
      furthest = { stuck: next.operation, state: key(state) }
    }
    const last = path.pop()
    if (last === undefined) return { outcome: 'refused', ...furthest }
    state = last.before
    pending.putBack(last.call)
    next = last.call.next
  }
  return { outcome: 'linearizable' }
}
