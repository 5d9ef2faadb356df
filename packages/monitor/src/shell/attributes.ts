import { runCommand } from '#platform/command'
import { schemaOf, type Attribute, type AttributeSchema } from '../core/attribute.ts'
import { nearest } from '../core/nearest.ts'
import type { Problem, Reading, ReadOptions } from '../core/reading.ts'
import { Sensor } from '../core/sensor.ts'
import { valueProblem, type Value } from '../expression/value.ts'
import { InvalidAttributeError } from '../errors.ts'

/** Maximum number of attributes of a member. A guess. */
const MAX_ATTRIBUTES = 256
/**
 * Maximum number of names that are compared with an unknown one. A guess: a fraction of a
 * millisecond.
 */
const MAX_COMPARED = 64
/** A measurement ends after this time, ms, since a sensor may hang. A guess. */
const MAX_RUN = 60_000
/** Default of `timeout`, ms. A guess. */
export const DEFAULT_TIMEOUT = 5000

/** A measurement under way. All readers of the attribute share it. */
interface Run {
  readonly outcome: Promise<Problem | undefined>
  readonly abort: AbortController
  /** The number of readers that wait. */
  readers: number
}

interface Entry {
  readonly schema: AttributeSchema
  readonly sensor: Sensor
  readonly measure: (signal: AbortSignal) => Value | Promise<Value>
  run: Run | undefined
}

/** The attributes of this member. An attribute is measured only when a member reads it. */
export class Attributes {
  readonly #entries = new Map<string, Entry>()

  /**
   * Adds an attribute, or replaces the attribute of the same name.
   *
   * @returns a function that removes the attribute
   * @throws InvalidAttributeError
   */
  define(name: string, attribute: Attribute): () => void {
    const schema = schemaOf(name, attribute)
    if (!this.#entries.has(name) && this.#entries.size >= MAX_ATTRIBUTES)
      throw new InvalidAttributeError(`${JSON.stringify(name)}: a member has at most ${MAX_ATTRIBUTES} attributes`)
    const { read, command = '' } = attribute
    const entry: Entry = {
      schema,
      sensor: new Sensor(schema),
      measure: read ?? ((signal) => runCommand(command, signal)),
      run: undefined,
    }
    this.#remove(name)
    this.#entries.set(name, entry)
    return () => {
      if (this.#entries.get(name) === entry) this.#remove(name)
    }
  }

  schemas(): AttributeSchema[] {
    return [...this.#entries.values()].map(({ schema }) => schema)
  }

  async read(name: string, options: ReadOptions = {}, hint = false): Promise<Reading> {
    const entry = this.#entries.get(name)
    if (entry === undefined) {
      const like = hint ? nearest(name, [...this.#entries.keys()].slice(0, MAX_COMPARED)) : undefined
      const message = `there is no attribute ${JSON.stringify(name)}${like === undefined ? '' : `; did you mean ${like}?`}`
      return { name, unit: '', problem: { code: 'NO_ATTRIBUTE', message } }
    }
    const { unit } = entry.schema
    const problem = await this.#update(name, entry, options)
    if (problem !== undefined) return { name, unit, problem }
    const measured = entry.sensor.read(performance.now())
    if (measured === undefined) return { name, unit, problem: { code: 'NO_VALUE', message: `${name}: nothing was measured yet` } }
    return { name, unit, ...measured }
  }

  close(): void {
    for (const name of this.#entries.keys()) this.#remove(name)
  }

  #remove(name: string): void {
    this.#entries.get(name)?.run?.abort.abort(new Error('the attribute was removed'))
    this.#entries.delete(name)
  }

  /** Measures if the read needs a new value. */
  async #update(name: string, entry: Entry, options: ReadOptions): Promise<Problem | undefined> {
    const { response = 'cached', quality, timeout = DEFAULT_TIMEOUT, cancel = false } = options
    const answer = entry.sensor.answerOf(performance.now(), response, quality)
    if (answer !== 'measure') return undefined
    const run = (entry.run ??= this.#run(name, entry))
    const { promise: late, resolve } = Promise.withResolvers<Problem>()
    const timer = setTimeout(() => {
      resolve({ code: 'NO_ANSWER', message: `${name}: the measurement took more than ${timeout} ms` })
      // Another reader may wait longer.
      if (cancel && run.readers === 1) run.abort.abort()
    }, timeout)
    run.readers++
    try {
      return await Promise.race([run.outcome, late])
    } finally {
      run.readers--
      clearTimeout(timer)
    }
  }

  #run(name: string, entry: Entry): Run {
    const abort = new AbortController()
    entry.sensor.begun(performance.now())
    return { abort, readers: 0, outcome: this.#outcomeOf(name, entry, abort).finally(() => (entry.run = undefined)) }
  }

  async #outcomeOf(name: string, { sensor, measure }: Entry, abort: AbortController): Promise<Problem | undefined> {
    const timer = setTimeout(() => abort.abort(new Error(`the measurement took more than ${MAX_RUN} ms`)), MAX_RUN)
    // A function may ignore the signal.
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error), { once: true })
    try {
      const value = await Promise.race([(async () => await measure(abort.signal))(), aborted])
      const problem = valueProblem(value)
      if (problem !== undefined) return { code: 'SENSOR_FAILED', message: `${name}: the value ${problem}` }
      sensor.measured(value, performance.now())
      return undefined
    } catch (error) {
      if (abort.signal.aborted && error instanceof DOMException)
        return { code: 'CANCELLED', message: `${name}: a reader cancelled the measurement` }
      const text = error instanceof Error ? error.message : String(error)
      return { code: 'SENSOR_FAILED', message: `${name}: ${text.slice(0, 256)}` }
    } finally {
      clearTimeout(timer)
    }
  }
}
