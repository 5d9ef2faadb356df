/** The operations of a history that have no place in the order yet. */
import type { Operation } from './model.ts'

/** The call of an operation, in the list of all calls and returns by time. */
export interface Call<Input, Output> {
  readonly type: 'call'
  readonly number: number
  readonly operation: Operation<Input, Output>
  /** Undefined: the operation never returned. */
  end: Return<Input, Output> | undefined
  previous: Entry<Input, Output> | undefined
  next: Entry<Input, Output> | undefined
}

interface Return<Input, Output> {
  readonly type: 'return'
  readonly operation: Operation<Input, Output>
  readonly returned: number
  previous: Entry<Input, Output> | undefined
  next: Entry<Input, Output> | undefined
}

type Entry<Input, Output> = Call<Input, Output> | Return<Input, Output>

export class Pending<Input, Output> {
  /** The earliest call or return of a pending operation. */
  first: Entry<Input, Output> | undefined
  /** Number of operations that returned and are pending. */
  #returning = 0
  /** By number of the operation, in the order of calls. First those that returned. */
  readonly #isTaken: boolean[]
  readonly #returningCount: number
  /** All operations with a lower number that returned are taken. */
  #low = 0
  /** No operation that returned and has this number or a higher one is taken. */
  #high = 0

  constructor(history: readonly Operation<Input, Output>[]) {
    const byCall = history.toSorted((a, b) => a.called - b.called)
    const ordered = [...byCall.filter(({ returned }) => returned !== undefined), ...byCall.filter(({ returned }) => returned === undefined)]
    this.#isTaken = ordered.map(() => false)
    const entries: { readonly at: number; readonly entry: Entry<Input, Output> }[] = []
    for (const [number, operation] of ordered.entries()) {
      const call: Call<Input, Output> = { type: 'call', number, operation, end: undefined, previous: undefined, next: undefined }
      entries.push({ at: operation.called, entry: call })
      const { returned } = operation
      if (returned === undefined) continue
      if (returned < operation.called) throw new RangeError(`an operation returned at ${returned}, before its call at ${operation.called}`)
      call.end = { type: 'return', operation, returned, previous: undefined, next: undefined }
      entries.push({ at: returned, entry: call.end })
      this.#returning++
    }
    this.#returningCount = this.#returning
    // Operations that touch in one moment count as concurrent: calls come before returns.
    entries.sort((a, b) => a.at - b.at || Number(a.entry.type === 'return') - Number(b.entry.type === 'return'))
    let previous: Entry<Input, Output> | undefined
    for (const { entry } of entries) {
      entry.previous = previous
      if (previous === undefined) this.first = entry
      else previous.next = entry
      previous = entry
    }
  }

  /** True if only operations without a return are pending. */
  get isEmpty(): boolean {
    return this.#returning === 0
  }

  take(call: Call<Input, Output>): void {
    this.#remove(call)
    this.#isTaken[call.number] = true
    if (call.end === undefined) return
    this.#remove(call.end)
    this.#returning--
    while (this.#low < this.#returningCount && this.#isTaken[this.#low] === true) this.#low++
    this.#high = Math.max(this.#high, call.number + 1)
  }

  /** Undoes the last {@link take} that was not undone. */
  putBack(call: Call<Input, Output>): void {
    this.#isTaken[call.number] = false
    if (call.end !== undefined) {
      this.#insert(call.end)
      this.#returning++
      this.#low = Math.min(this.#low, call.number)
      while (this.#high > 0 && this.#isTaken[this.#high - 1] !== true) this.#high--
    }
    this.#insert(call)
  }

  /** Names the set of taken operations. The name is longer if more operations are concurrent. */
  name(): string {
    let name = `${this.#low} `
    for (let at = this.#low; at < this.#high; at++) name += this.#isTaken[at] === true ? '1' : '0'
    name += ' '
    for (let at = this.#returningCount; at < this.#isTaken.length; at++) if (this.#isTaken[at] === true) name += `${at} `
    return name
  }

  #remove(entry: Entry<Input, Output>): void {
    if (entry.previous === undefined) this.first = entry.next
    else entry.previous.next = entry.next
    if (entry.next !== undefined) entry.next.previous = entry.previous
  }

  #insert(entry: Entry<Input, Output>): void {
    if (entry.previous === undefined) this.first = entry
    else entry.previous.next = entry
    if (entry.next !== undefined) entry.next.previous = entry
  }
}
