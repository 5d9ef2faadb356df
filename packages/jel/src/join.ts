import { startOverlay } from '@jel/overlay'
import { defaultConfig } from '@jel/protocol'
import { InvalidOptionError, TagTooLargeError } from './errors.ts'
import { checkConsistency, checkThread, type PoolOptions } from './options.ts'
import { Pool } from './pool.ts'
import { startRemoteOverlay } from './thread/start.ts'

/** What every member keeps of every other one is bounded. */
const { tagBytes, locationBytes } = defaultConfig.limits

/**
 * Joins a pool (JEL §3, `init`): starts a libp2p host, enters through a member of the pool, or founds it where there is none.
 * Resolves when this node is in the pool; with introducers that don't answer that is after a few seconds, alone, while they
 * are retried (`health()` says so).
 *
 * @param name the pool; everybody who names it, and holds the same `key` if there is one, meets there
 * @throws UnsupportedConsistencyError, InvalidOptionError, InvalidPoolNameError, TagTooLargeError before anything is started;
 *   the overlay's errors (a malformed address or key, an identity in use, a port in use) when the host can't start;
 *   WorkerError when its thread can't
 */
export async function joinPool(name: string, options: PoolOptions = {}): Promise<Pool> {
  const { joins = 'unreliable', elections = 'non-uniform', thread = 'main', ...host } = options
  host.signal?.throwIfAborted()
  checkConsistency('joins', joins)
  checkConsistency('elections', elections)
  checkThread(thread)
  if (host.tag !== undefined && host.tag.length > tagBytes) throw new TagTooLargeError(host.tag.length, tagBytes)
  if (host.location !== undefined) checkLocation(host.location)
  try {
    const start = thread === 'worker' ? startRemoteOverlay : startOverlay
    return new Pool(await start({ ...host, pool: name }), { joins, elections })
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidOptionError(error.message, { cause: error })
    throw error
  }
}

function checkLocation(location: string): void {
  const bytes = new TextEncoder().encode(location).length
  if (bytes > locationBytes) throw new InvalidOptionError(`the location has ${bytes} bytes; at most ${locationBytes} are allowed`)
  if (!location.isWellFormed()) throw new InvalidOptionError('the location is not well-formed Unicode')
  if (/\p{Cc}/u.test(location)) throw new InvalidOptionError('the location contains a control character')
}
