import { idOf, type Member, type MemberRef, type Pool } from '@jel/jel'
import * as v from 'valibot'
import type { Lookup } from '../expression/evaluate.ts'
import { checkName } from '../core/attribute.ts'
import { valueProblem, type Value } from '../expression/value.ts'
import { InvalidAttributeError } from '../errors.ts'

/** The name of the constant in the joined-statement that holds all constants of monitoring. */
export const MONITOR_CONSTANT = 'jel.monitor'

/** Constants, by name. */
export type ConstantValues = Readonly<Record<string, Value>>

const scalar = v.union([v.pipe(v.number(), v.finite()), v.string(), v.boolean()])
const values = v.record(v.string(), v.union([scalar, v.array(scalar)]))

/** The constants that members state in their joined-statements, as JSON. */
export class Constants {
  readonly #pool: Pool
  #own: ConstantValues = {}

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async state(changes: Readonly<Record<string, Value | undefined>>): Promise<void> {
    for (const [name, value] of Object.entries(changes)) {
      checkName(name)
      const problem = value === undefined ? undefined : valueProblem(value)
      if (problem !== undefined) throw new InvalidAttributeError(`${JSON.stringify(name)}: the value ${problem}`)
    }
    const next = Object.fromEntries(
      Object.entries({ ...this.#own, ...changes }).filter((entry): entry is [string, Value] => entry[1] !== undefined),
    )
    const isEmpty = Object.keys(next).length === 0
    await this.#pool.setConstant(MONITOR_CONSTANT, isEmpty ? undefined : new TextEncoder().encode(JSON.stringify(next)))
    this.#own = next
  }

  of(member: MemberRef): ConstantValues {
    const id = idOf(member)
    const found = this.#pool.members().find((each) => each.id === id)
    return found === undefined ? {} : constantsOf(found)
  }

  async close(): Promise<void> {
    if (Object.keys(this.#own).length > 0) await this.#pool.setConstant(MONITOR_CONSTANT, undefined).catch(() => {})
  }
}

/**
 * Returns the values of a member for a condition: its constants. `location` is the location of the
 * member, unless the member states a constant of this name.
 */
export function lookupOf(member: Pick<Member, 'constants' | 'location'>): Lookup {
  const constants = constantsOf(member)
  return (name) => (Object.hasOwn(constants, name) ? constants[name] : name === 'location' ? member.location : undefined)
}

/** Returns the constants that a member stated; empty if they are not valid. */
export function constantsOf({ constants }: Pick<Member, 'constants'>): ConstantValues {
  const bytes = constants.get(MONITOR_CONSTANT)
  if (bytes === undefined) return {}
  try {
    const { output, success } = v.safeParse(values, JSON.parse(new TextDecoder().decode(bytes)))
    return success ? output : {}
  } catch {
    return {}
  }
}
