/**
 * Checks that Node has the version that `engines` in package.json requires. The package imports
 * this module first. So an old Node reports the needed version instead of failing at the first
 * unknown feature.
 */
import { UnsupportedNodeError } from './errors.ts'

const needed = [22, 18] as const

/** Undefined in a browser. */
const version = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node
const [major = 0, minor = 0] = version?.split('.').map(Number) ?? []
if (version !== undefined && (major < needed[0] || (major === needed[0] && minor < needed[1])))
  throw new UnsupportedNodeError(needed.join('.'), version)
