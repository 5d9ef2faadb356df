import { startRemoteOverlay } from '#thread'
import type { Founding, LedgerNode } from '@jel/ledger'
import { InvalidPoolNameError, startOverlay, type OverlayOptions } from '@jel/overlay'
import { defaultConfig } from '@jel/protocol'
import { checkLocation, checkTag, toBytes } from './base/arguments.ts'
import { InvalidOptionError, PoolClosedError, PoolTerminatedError, TooFewMembersError } from './errors.ts'
import { sizeProblem } from './records/fixed-size.ts'
import { checkOptions, needsLedger, type LedgerOptions, type PoolOptions } from './options.ts'
import type { PoolHost } from './base/host.ts'
import { Pool } from './pool/pool.ts'
import { findTermination } from './records/termination.ts'

/**
 * Default for `timeout`: how long `requireMembers` may take, ms. Guess: longer than a node waits
 * for a silent introducer.
 */
const REQUIRE_TIMEOUT = 30_000
/**
 * If a start or an introduction is under way at the timeout, it may go on for this long, ms. Guess:
 * enough for a thread that starts on a busy machine.
 */
const GRACE = 10_000

/** Voters of a ledger: any two may die at once. They are replaced within a second or two. */
const DEFAULT_VOTERS = 5

/**
 * Joins a pool (JEL §3, `init`): starts a libp2p host, then enters through a member of the pool, or
 * founds the pool if there is none. Resolves when this node is in the pool. If the introducers
 * don't answer, it resolves after 20 s at the latest. Then this node is alone and goes on trying
 * them (`health().introducers` gives the reasons). With `requireMembers` it rejects instead.
 *
 * @param name the pool; all nodes that give this name, and the same `key` if there is one, meet
 *   there
 * @throws InvalidOptionError, InvalidPoolNameError, TagTooLargeError before anything is started;
 *   the overlay's errors (a malformed address or key, an identity in use, a port in use) when the
 *   host can't start; WorkerError when its thread can't start; PoolClosedError,
 *   PoolSizeMismatchError, PoolTerminatedError when this node may not stay; TooFewMembersError when
 *   fewer than `requireMembers` joined in time
 */
export async function joinPool(name: string, options: PoolOptions = {}): Promise<Pool> {
  if (typeof name !== 'string') throw new InvalidPoolNameError('the pool name must be a string')
  checkOptions(options)
  const {
    joins = 'unreliable',
    elections = 'non-uniform',
    ledger: _,
    thread = 'main',
    poolSize,
    requireRunning = false,
    ...others
  } = options
  const { requireMembers, timeout = REQUIRE_TIMEOUT, ...rest } = others
  rest.signal?.throwIfAborted()
  const host = {
    ...rest,
    tag: rest.tag === undefined ? undefined : checkTag(rest.tag),
    key: rest.key === undefined ? undefined : keysOf(rest.key),
  }
  if (host.location !== undefined) checkLocation(host.location)
  try {
    const start = thread === 'worker' ? startRemoteOverlay : startOverlay
    const enter = async (more: OverlayOptions): Promise<Pool> => {
      const started = await start(more)
      const isReliable = joins === 'reliable'
      const stayed = await admitted(started, isReliable ? undefined : poolSize, requireRunning)
      return new Pool(stayed, { joins, elections, poolSize }, await enterLedger(stayed, options, more))
    }
    const all = { ...host, pool: name }
    return await (requireMembers === undefined ? enter(all) : enterWith(requireMembers, timeout, all, enter))
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidOptionError(error.message, { cause: error })
    throw error
  }
}

/** Enters and waits for other members. Leaves again if too few join in time. */
async function enterWith(
  count: number,
  timeout: number,
  options: OverlayOptions,
  enter: (options: OverlayOptions) => Promise<Pool>,
): Promise<Pool> {
  const { signal } = options
  const time = AbortSignal.timeout(timeout)
  const last = AbortSignal.timeout(timeout + GRACE)
  // Gives up on silent introducers in time to report the reason.
  const introduction = { aloneAfter: Math.min(timeout, defaultConfig.introduction.aloneAfter) }
  const joined = new AbortController()
  let pool: Pool | undefined
  try {
    pool = await enter({ ...options, config: { introduction }, signal: AbortSignal.any(signal ? [signal, last] : [last]) })
    pool.addEventListener('warning', ({ detail }) => options.onWarning?.(detail), { signal: joined.signal })
    await pool.waitForMembers(count, { signal: AbortSignal.any(signal ? [signal, time] : [time]) })
    return pool
  } catch (error) {
    const members = pool?.members().length ?? 0
    const introducers = pool?.health().introducers ?? []
    await pool?.leave()
    if (error !== time.reason && error !== last.reason) throw error
    throw new TooFewMembersError(count, members, timeout, introducers)
  } finally {
    joined.abort()
  }
}

/**
 * Enters the ledger of the pool, if the options need one. Leaves the pool if there is none in time.
 */
async function enterLedger(host: PoolHost, options: PoolOptions, { signal }: OverlayOptions): Promise<LedgerNode | undefined> {
  if (!needsLedger(options)) return undefined
  const {
    ledger: given = {},
    poolSize,
    bootstrap = [],
    found = false,
    identityFile,
    timeout = REQUIRE_TIMEOUT,
    key,
    allow,
    onWarning,
  } = options
  if (key === undefined && allow === undefined)
    onWarning?.({ code: 'LEDGER_OPEN', message: 'the pool is open, so any stranger may vote in its ledger: give a key, or allow ids' })
  const time = AbortSignal.timeout(timeout)
  try {
    const ledger = await import('@jel/ledger/node')
    const entered = await ledger.LedgerNode.start(host, {
      founding: foundingOf(given, poolSize),
      voters: given.voters ?? DEFAULT_VOTERS,
      votes: given.vote ?? true,
      identityFile,
      onWarning: (code, message) => onWarning?.({ code, message }),
      // A node that was cut off must not found a second ledger beside the first.
      mayFound: () => bootstrap.length === 0 || found || host.members().length > 1,
      signal: AbortSignal.any(signal ? [signal, time] : [time]),
    })
    if (!entered.isRefused) return entered
    await entered.close()
    throw new PoolClosedError(host.pool, poolSize ?? entered.members.length)
  } catch (error) {
    await host.leave()
    signal?.throwIfAborted()
    throw error
  }
}

function foundingOf({ found, founders }: LedgerOptions, size: number | undefined): Founding | undefined {
  if (founders !== undefined) return { by: 'ids', ids: founders }
  if (found === true) return { by: 'member' }
  return size === undefined ? undefined : { by: 'size', size }
}

/** Returns the host if this node may stay in the pool. Otherwise leaves and throws. */
async function admitted(host: PoolHost, poolSize: number | undefined, requireRunning: boolean): Promise<PoolHost> {
  const termination = requireRunning ? findTermination(host) : undefined
  const problem =
    termination === undefined ? sizeProblem(host, poolSize) : new PoolTerminatedError(host.pool, termination.by, termination.at)
  if (problem === undefined) return host
  await host.leave()
  throw problem
}

function keysOf(key: NonNullable<PoolOptions['key']>): Uint8Array[] {
  const keys = typeof key === 'string' || key instanceof Uint8Array ? [key] : key
  return keys.map(toBytes)
}
