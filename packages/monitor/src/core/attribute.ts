import { InvalidAttributeError } from '../errors.ts'
import type { Freshness, Milliseconds } from './sensor.ts'
import type { Value } from '../expression/value.ts'

/** Default of `ttl`, ms. A guess: a person looks once a second. */
const DEFAULT_TTL: Milliseconds = 1000
/** Maximum characters of a name, of a unit and of a description. Guesses. */
const [MAX_NAME, MAX_UNIT, MAX_ABOUT] = [64, 16, 128]
/** Words of letters, digits and underscores, joined by dots, as in the names of OpenTelemetry. */
const NAME = /^[a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)*$/iu

/** An attribute of this member: how to measure it, and how long its value is valid. */
export interface Attribute extends Partial<Freshness> {
  /** In the notation of UCUM, as `By`, `s` or `{thread}`. Default: `1`, a number without a unit. */
  readonly unit?: string
  /** One sentence for people. */
  readonly about?: string
  /** Measures by a function. The signal aborts if no reader needs the value any more. */
  readonly read?: (signal: AbortSignal) => Value | Promise<Value>
  /**
   * Measures by a shell command. Its output is the value: JSON if it is valid JSON, else text. Not
   * in browsers.
   */
  readonly command?: string
}

/** An attribute as other members see it. */
export interface AttributeSchema extends Freshness {
  readonly name: string
  readonly unit: string
  readonly about: string
}

/** @throws InvalidAttributeError */
export function checkName(name: string): void {
  if (name.length > MAX_NAME || !NAME.test(name)) {
    const shown = JSON.stringify(name.slice(0, MAX_NAME))
    throw new InvalidAttributeError(
      `${shown}: the name must be words joined by dots, as in system.memory.usage, of at most ${MAX_NAME} characters`,
    )
  }
}

/**
 * @returns the schema, with all defaults
 * @throws InvalidAttributeError
 */
export function schemaOf(name: string, attribute: Attribute): AttributeSchema {
  checkName(name)
  const { unit = '1', about = '', ttl = DEFAULT_TTL, halfLife, delay, read, command } = attribute
  const fail = (problem: string): never => {
    throw new InvalidAttributeError(`${JSON.stringify(name)}: ${problem}`)
  }
  if (unit.length > MAX_UNIT) fail(`the unit has ${unit.length} characters; at most ${MAX_UNIT} are allowed`)
  if (about.length > MAX_ABOUT) fail(`the description has ${about.length} characters; at most ${MAX_ABOUT} are allowed`)
  for (const [field, value] of Object.entries({ ttl, halfLife, delay })) {
    if (value !== undefined && !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) fail(`${field} must be a time in ms`)
  }
  if (halfLife === 0) fail('halfLife must be above 0')
  if ((read === undefined) === (command === undefined)) fail('give either read or command')
  return { name, unit, about, ttl, ...(halfLife !== undefined && { halfLife }), ...(delay !== undefined && { delay }) }
}
