/**
 * Joins a pool: checks the options, and starts identity, host and protocol.
 */
import { discoveryOf, identityOf, listenDefault, openSaved } from '#platform/environment'
import { machineName } from '#platform/machine'
import { canDial, firstReach, preferNames } from '#platform/network'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { makeConfig, type Introducer } from '@jel/protocol'
import { equals } from 'uint8arrays'
import type { OverlayOptions } from './api/options.ts'
import type { Overlay } from './api/port.ts'
import { parseAnnounceAddress, parseIntroducer, parseListenAddress, parseWebAddress, tcpEndpoint } from './base/addresses.ts'
import { PoolKeysError } from './base/errors.ts'
import { poolNames, serviceName } from './base/names.ts'
import { PageHosts } from './web/page-hosts.ts'
import { AllowList } from './host/allow-list.ts'
import { Host } from './host/host.ts'
import { Refusals } from './host/refusals.ts'
import { PoolKeys } from './identity/pool-keys.ts'
import { RunningNode } from './overlay/node.ts'
import { Notifications } from './overlay/notifications.ts'
import { RunningOverlay } from './overlay/overlay.ts'

/**
 * Starts a host and enters a pool. Resolves when this node is a member and knows the others, after
 * its first reconciliation with a member.
 *
 * Throws {@link InvalidPoolNameError}, {@link InvalidAddressError}, {@link InvalidPeerIdError},
 * {@link PoolKeyError}, {@link PoolKeysError}, {@link IdentityFileError},
 * {@link CorruptIdentityError}, {@link IdentityInUseError}, {@link ListenError}, RangeError for an
 * invalid `config`, `announce` or `portMapping`, or the reason of `options.signal`. The start then
 * closes everything that it opened. An introducer that does not answer is no error. The node goes
 * on alone and keeps trying. `warning` notifications and {@link Overlay.health} report it.
 */
export async function startOverlay(options: OverlayOptions): Promise<Overlay> {
  const { pool } = options
  const names = poolNames(pool)
  const keys = new PoolKeys(keysOf(options.key))
  const listen = options.listen?.map(parseListenAddress) ?? listenDefault
  const announce = (options.announce ?? []).map(parseAnnounceAddress)
  const web = options.web && { ...options.web, listen: parseWebAddress(options.web.listen, options.web.tls !== undefined) }
  const allowed = new AllowList(options.allow)
  const given = waysIn(options.bootstrap ?? []).map((each) => parseIntroducer(each, canDial))
  preferNames(given.flatMap(({ address }) => tcpEndpoint(address)?.host ?? []))
  const config = makeConfig(options.config)
  const { addresses } = config.limits
  if (announce.length > addresses)
    throw new RangeError(`${announce.length} addresses to announce are more than the ${addresses} that are allowed`)
  if (announce.length > 0 && options.portMapping === true)
    throw new RangeError('announce and portMapping both say where others reach this node: give one')
  const location = options.location ?? machineName()
  const tag = options.tag ?? new Uint8Array()
  options.signal?.throwIfAborted()

  const identity = await identityOf(options.identityFile)
  let node: RunningNode | undefined
  try {
    const notifications = new Notifications()
    const services = keys.primary === undefined ? [serviceName(pool)] : keys.all.map(({ text }) => serviceName(pool, text))
    const discovery = discoveryOf(services, { wanted: options.mdns, listen }, (introducer) => node?.discovered(introducer))
    const { peers, records } = openSaved(options.identityFile, pool, (code, message) => notifications.warn(code, message))
    // The node tries each address once. A remembered address that is also given counts as given.
    const isGiven = ({ address }: Introducer): boolean => given.some((each) => equals(each.address, address))
    const introducers = [...given, ...(peers?.introducers() ?? []).filter((each) => !isGiven(each))]
    const refusals = new Refusals((message) => notifications.warn('PEER_REFUSED', message))
    const pageHosts = new PageHosts(() => node?.engine.node.members() ?? [])
    const host = await Host.create({
      privateKey: identity.privateKey,
      listen,
      announce,
      keys,
      allowed,
      refusals,
      portMapping: options.portMapping === true,
      circuits: { ...names.circuits, admits: (id) => node?.engine.node.member(id) !== undefined },
      web: web && {
        listen: web.listen,
        origins: {
          allowed: web.origins ?? [],
          isMember: (host) => pageHosts.has(host),
        },
        serve: web.serve ?? notFound,
        tls: web.tls,
      },
      topic: names.topic,
      maxMessageBytes: config.limits.frameBytes,
      discovery,
    })
    const keyed = keys.primary !== undefined
    // A node without given introducers that reaches no remembered member founds the pool, like a
    // node that never met anybody.
    const founds = options.found === true || (given.length === 0 && introducers.length > 0)
    node = new RunningNode(
      {
        pool,
        config,
        names,
        location,
        tag,
        host,
        identity,
        discovery,
        keyed,
        given: given.map(({ address }) => address),
        keys,
        allowed,
        peers,
        records,
        refusals,
        founds,
      },
      notifications,
    )
    const { onWarning } = options
    // Without a listener the warnings wait for the first subscriber.
    const unsubscribe =
      onWarning && notifications.subscribe((news) => news.type === 'warning' && onWarning({ code: news.code, message: news.message }))
    await node.start(introducers, options.signal)
    unsubscribe?.()
    return new RunningOverlay(node)
  } catch (error) {
    await node?.abandon(error)
    identity.release()
    throw error
  }
}

function notFound(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404).end()
}

/** An empty list is a mistake: a list of keys means a private pool. */
function keysOf(key: OverlayOptions['key']): readonly Uint8Array[] {
  if (key === undefined) return []
  const keys = key instanceof Uint8Array ? [key] : key
  if (keys.length === 0) throw new PoolKeysError('the list of pool keys is empty: leave it out for an open pool')
  return keys
}

/**
 * Returns the addresses that fit this platform. A browser tab needs addresses of WebSockets, and
 * Node needs the others. A member with `web` announces both kinds, and an application may pass them
 * all. If none fits, returns all of them, and their parser throws an error that names one.
 */
function waysIn(addresses: readonly string[]): readonly string[] {
  const ours = addresses.filter((address) => address.startsWith('/dnsaddr/') || /\/wss?(?:\/|$)/u.test(address) === (firstReach === 'tab'))
  return ours.length > 0 ? ours : addresses
}
