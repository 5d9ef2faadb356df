/**
 * Joins a pool: checks what it is told, and starts identity, host and protocol.
 */
import { hostname } from 'node:os'
import { makeConfig } from '@jel/protocol'
import type { Overlay, OverlayOptions } from './api.ts'
import { parseIntroducer, parseListenAddress } from './base/addresses.ts'
import { poolNames } from './base/names.ts'
import { Discovery, wantsDiscovery } from './host/discovery.ts'
import { Host } from './host/host.ts'
import { ephemeralIdentity, openIdentity } from './identity/identity.ts'
import { checkPoolKey } from './identity/poolkey.ts'
import { RunningOverlay } from './overlay.ts'

/**
 * Starts a host and enters a pool. Resolves when this node is a member and knows the others: after its first reconciliation with one.
 *
 * Throws {@link InvalidPoolNameError}, {@link InvalidAddressError}, {@link PoolKeyError}, {@link IdentityFileError},
 * {@link CorruptIdentityError}, {@link IdentityInUseError}, {@link ListenError}, RangeError for an impossible `config`, location or tag,
 * or the reason of `options.signal`. Whatever was opened is closed then. An introducer that does not answer is no error: the protocol
 * goes on alone and keeps trying, with `warning` notifications and {@link Overlay.health} saying so.
 */
export async function startOverlay(options: OverlayOptions): Promise<Overlay> {
  const key = options.key && checkPoolKey(options.key)
  const names = poolNames(options.pool, key)
  const listen = (options.listen ?? ['/ip4/0.0.0.0/tcp/0']).map(parseListenAddress)
  const introducers = (options.bootstrap ?? []).map(parseIntroducer)
  const config = makeConfig(options.config)
  const location = options.location ?? hostname()
  const tag = options.tag ?? new Uint8Array()
  checkLength('location', Buffer.byteLength(location), config.limits.locationBytes)
  checkLength('tag', tag.length, config.limits.tagBytes)
  options.signal?.throwIfAborted()

  const identity = options.identityFile === undefined ? await ephemeralIdentity() : await openIdentity(options.identityFile)
  let overlay: RunningOverlay | undefined
  try {
    const started: { overlay?: RunningOverlay } = {}
    const discovery = wantsDiscovery(options.mdns, listen)
      ? new Discovery(names.service, (introducer) => started.overlay?.discovered(introducer))
      : undefined
    const host = await Host.create({
      privateKey: identity.privateKey,
      listen,
      key,
      topic: names.topic,
      maxMessageBytes: config.limits.frameBytes,
      discovery,
    })
    const [keyed, founds] = [key !== undefined, options.found === true]
    overlay = new RunningOverlay({ pool: options.pool, config, names, location, tag, host, identity, discovery, keyed, founds })
    started.overlay = overlay
    await overlay.start(introducers, options.signal)
    return overlay
  } catch (error) {
    await overlay?.abandon(error)
    identity.release()
    throw error
  }
}

/** Others would refuse this node's statement, and it would wonder why nobody knows it. */
function checkLength(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new RangeError(`the ${what} is ${bytes} bytes long, more than the ${limit} that are allowed`)
}
