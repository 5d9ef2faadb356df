/**
 * Constants: static attributes of a member, in its joined-statement. They need no directory: every
 * node that knows the member knows its constants. They live as long as the member, and take no room
 * from other members. Programs on the pool share them, so each program has its own names, such as
 * `jel.compute`.
 */
import type { Config } from '../base/config.ts'
import type { Constants } from '../base/values.ts'
import { nameProblem } from '../base/name.ts'

export const noConstants: Constants = new Map()

const encoder = new TextEncoder()

/**
 * Returns the reason to refuse these constants; undefined if they are valid. Their names follow the
 * rules for elections. Their number and bytes are bounded.
 */
export function constantsProblem(constants: Constants, limits: Config['limits']): string | undefined {
  if (constants.size > limits.constants) return `a member has at most ${limits.constants} constants, not ${constants.size}`
  let bytes = 0
  for (const [name, value] of constants) {
    const problem = nameProblem(name)
    if (problem !== undefined) return `the name of a constant ${problem}`
    bytes += encoder.encode(name).length + value.length
  }
  const { constantsBytes: most } = limits
  return bytes > most ? `the constants of a member have at most ${most} bytes, names included, not ${bytes}` : undefined
}

/**
 * Returns a copy with another value under this name, in the order of names. An undefined value
 * removes the name.
 */
export function withConstant(constants: Constants, name: string, value: Uint8Array | undefined): Constants {
  const changed = new Map(constants)
  if (value === undefined) changed.delete(name)
  else changed.set(name, new Uint8Array(value))
  return new Map([...changed].sort(([a], [b]) => (a < b ? -1 : 1)))
}
