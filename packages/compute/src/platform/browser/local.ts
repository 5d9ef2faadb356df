/** A page computes for a pool only. */
import { InvalidOptionError } from '@jel/jel'

export function computeLocal(): never {
  throw new InvalidOptionError('computeLocal: a page has no processes; use compute on a pool')
}
