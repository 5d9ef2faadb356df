/**
 * Constants: static attributes of a member, in its joined-statement. So they need no directory: they are known wherever the member is, live as long as it, and take no
 * place of anybody's. Programs on the pool share them; each has names of its own, as `jel.compute`.
 */
import type { Config } from '../base/config.ts'
import type { Constants } from '../base/io.ts'
import { nameProblem } from '../base/name.ts'

export const noConstants: Constants = new Map()

const encoder = new TextEncoder()

/** Why these are refused, or undefined if they are fine: names as those of elections, and bounded in number and bytes. */
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

/** With another value under this name, in the order of the names; undefined: without one. */
export function withConstant(constants: Constants, name: string, value: Uint8Array | undefined): Constants {
  const changed = new Map(constants)
  if (value === undefined) changed.delete(name)
  else changed.set(name, value.slice())
  return new Map([...changed].sort(([a], [b]) => (a < b ? -1 : 1)))
}
