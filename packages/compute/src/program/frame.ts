import type { Outcome } from '../core/entry.ts'
import type { Spawn } from '../core/io.ts'
import type { Path } from '../core/path.ts'
import { ChildFailedError } from './failures.ts'
import type { OwnValues } from './shared-values.ts'
import type { FrameSaves } from './frame-saves.ts'
import { decodeValue } from './values.ts'

/**
 * Maximum bytes of children's inputs in one message. So no number of children makes a message too
 * large.
 */
const MAX_SPAWNED_BYTES = 1024 * 1024

/** A task that runs in the program, or waits for its children. */
export class Frame {
  readonly path: Path
  readonly fn: string
  /** The encoded input, or the number of its bytes if there are many. */
  readonly input: Uint8Array | number
  /** Set for a job with votes. */
  readonly own: OwnValues | undefined
  readonly saves: FrameSaves
  returned = false
  ran = 0
  /** Called when the frame spawns a child, returns, or leaves. */
  changed: () => void = () => {}
  readonly #began = performance.now()
  /** Children that the frame spawned and that have no outcome here yet, by step. */
  readonly #open = new Map<string, { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }>()
  /** Number of calls by the hash of the call. */
  readonly #calls = new Map<string, number>()
  #spawned: Spawn[] = []

  constructor(path: Path, fn: string, input: Uint8Array | number, own: OwnValues | undefined, saves: FrameSaves) {
    this.path = path
    this.fn = fn
    this.input = input
    this.own = own
    this.saves = saves
  }

  /** Whether the frame waits for children. */
  get isWaiting(): boolean {
    return this.#open.size > 0
  }

  /** Whether the frame has spawned children that the member does not know of yet. */
  get hasSpawned(): boolean {
    return this.#spawned.length > 0
  }

  /** The time for which the frame kept its worker busy, ms. */
  get took(): number {
    return this.#calls.size === 0 ? performance.now() - this.#began : this.ran
  }

  /**
   * Spawns a child.
   *
   * @param stepOf returns the step of the n-th of equal calls
   */
  spawn(fn: string, input: Uint8Array, stepOf: (occurrence: number) => string): Promise<unknown> {
    const call = stepOf(0)
    const occurrence = this.#calls.get(call) ?? 0
    this.#calls.set(call, occurrence + 1)
    const step = occurrence === 0 ? call : stepOf(occurrence)
    this.#spawned.push({ step, fn, input, ...(occurrence > 0 && { occurrence }) })
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    // Otherwise the failure of a child that nobody awaits would also fail this task.
    promise.catch(() => {})
    this.#open.set(step, { resolve, reject })
    this.changed()
    return promise
  }

  /**
   * Yields the children that the member does not know of yet, in batches that fit into a message.
   */
  *takeSpawned(): Generator<readonly Spawn[]> {
    const spawned = this.#spawned
    this.#spawned = []
    let children: Spawn[] = []
    let bytes = 0
    for (const child of spawned) {
      if (bytes + child.input.length > MAX_SPAWNED_BYTES && children.length > 0) {
        yield children
        children = []
        bytes = 0
      }
      children.push(child)
      bytes += child.input.length
    }
    if (children.length > 0) yield children
  }

  /** Settles the promise of a child. Returns false if the frame waits for no such child. */
  resume(step: string, outcome: Outcome): boolean {
    const child = this.#open.get(step)
    if (child === undefined) return false
    this.#open.delete(step)
    try {
      if ('value' in outcome) child.resolve(decodeValue(outcome.value))
      else child.reject(new ChildFailedError(outcome.failure))
    } catch (error) {
      child.reject(error as Error)
    }
    return true
  }
}
