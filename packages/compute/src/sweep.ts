import type { Outcome } from './core/entry.ts'
import type { Path } from './core/path.ts'
import { stepOf } from './executors/step.ts'
import { Job, WATCH } from './job.ts'
import type { JobSource } from './job-source.ts'
import type { JobState } from './job-progress.ts'
import { rejected, type MapOutcome } from './program/map.ts'
import { decodeValue, encodeValue } from './program/values.ts'
import type { SweepInput } from './shell/sweep.ts'

/** Pause between two reads of outcomes, ms. A guess: a person does not notice it. */
const READ_AGAIN = 1000
/** Reads take at most this share of the time, even in sweeps of tens of thousands of inputs. */
const READ_SHARE = 0.2
/** Time in which a replica must answer, ms. A guess: some round trips and a dial. */
const READ_WITHIN = 2000
/** Maximum number of inputs of one request. Their paths have 10 KiB. */
const READ_AT_ONCE = 1024

const ENDS: readonly JobState[] = ['done', 'failed', 'cancelled']

/** How one input of a sweep ended. `index`: its place among the inputs. */
export type SweepOutcome = MapOutcome & { readonly index: number }

/** A job with one value for each of many inputs. `map` of a grid submits it. */
export class Sweep extends Job {
  readonly #source: JobSource
  readonly #fn: string
  readonly #input: SweepInput

  /** @internal */
  constructor(source: JobSource, id: string, fn: string, input: SweepInput) {
    super(source, id)
    this.#source = source
    this.#fn = fn
    // The caller may change its list later.
    this.#input = { ...input, inputs: [...input.inputs] }
  }

  /**
   * Yields each value soon after some member has it, in any order of the inputs. Asks a replica
   * once a second. With `keepGoing` it also yields failures. All outcomes of a job with votes come
   * at the end.
   *
   * Members drop the values when the sweep fails or is cancelled. Values of about the last second
   * before that are lost.
   *
   * @throws as `result`, after the values that came before
   */
  async *asCompleted(): AsyncGenerator<SweepOutcome, void> {
    const left = this.#rows()
    while (!(await this.#isOver())) {
      const began = performance.now()
      for (const [path, outcome] of await this.#read([...left.keys()])) {
        const index = left.get(path)
        left.delete(path)
        if (index !== undefined) yield { index, ...outcome }
      }
      await this.#source.ended(this.id, Math.max(READ_AGAIN, (performance.now() - began) / READ_SHARE))
    }
    const result = (await this.result) as readonly unknown[]
    for (const index of [...left.values()].sort((a, b) => a - b)) {
      const outcome = result[index]
      yield { index, ...(this.#input.keepGoing ? (outcome as MapOutcome) : { status: 'fulfilled', value: outcome }) }
    }
  }

  /**
   * Returns the index of each input, by the path of its task. Counts equal calls, as the path does.
   */
  #rows(): Map<Path, number> {
    const rows = new Map<Path, number>()
    const calls = new Map<Path, number>()
    for (const [index, input] of this.#input.inputs.entries()) {
      const bytes = encodeValue(input)
      const call = stepOf(this.#fn, bytes, 0)
      const occurrence = calls.get(call) ?? 0
      calls.set(call, occurrence + 1)
      rows.set(occurrence === 0 ? call : stepOf(this.#fn, bytes, occurrence), index)
    }
    return rows
  }

  async #isOver(): Promise<boolean> {
    this.#source.watch(this.id, READ_AGAIN + WATCH)
    await this.#source.ended(this.id, 0)
    return this.#source.closed || ENDS.includes(this.state)
  }

  /** Reads the outcomes that a replica knows. Leaves out failures that the sweep may try again. */
  async #read(paths: readonly Path[]): Promise<(readonly [Path, MapOutcome])[]> {
    const read: (readonly [Path, MapOutcome])[] = []
    for (let at = 0; at < paths.length; at += READ_AT_ONCE) {
      if (this.#source.closed || ENDS.includes(this.state)) break
      const asked = new Set(paths.slice(at, at + READ_AT_ONCE))
      for (const { path, outcome } of await this.#source.outcomes(this.id, [...asked], READ_WITHIN)) {
        if (!asked.delete(path)) continue
        const end = this.#endOf(outcome)
        if (end !== undefined) read.push([path, end])
      }
    }
    return read
  }

  /** Returns the end of an input; undefined if only the end of the sweep shows it. */
  #endOf(outcome: Outcome): MapOutcome | undefined {
    if ('failure' in outcome) return this.#input.keepGoing && this.#input.retries === 0 ? rejected(outcome.failure) : undefined
    try {
      return { status: 'fulfilled', value: decodeValue(outcome.value) }
    } catch {
      // A dishonest worker made the value up. The sweep treats it as a failure.
      return undefined
    }
  }
}
