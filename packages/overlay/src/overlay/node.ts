import { canDial, firstReach } from '#platform/network'
import type { Command, Introducer, Notification } from '@jel/protocol'
import type { OverlayKeys } from '../api/port.ts'
import { showHealth, showMember, showReign, type OverlayNotification, type PoolMember } from '../api/view.ts'
import { OverlayClosedError, UnknownMemberError, asError } from '../base/errors.ts'
import { absent, unanswered } from '../circuits/relay-refusal.ts'
import { Engine, type Parts } from '../engine/engine.ts'
import { addressInterval } from '../engine/own-addresses.ts'
import { OwnReach, reachInterval } from '../reach/own-reach.ts'
import { ReachChecks } from '../reach/reach-checks.ts'
import { relayInterval } from '../relay/relay-connections.ts'
import { RelayDials } from '../relay/relay-dials.ts'
import { RelayService } from '../relay/relay-service.ts'
import { ApplicationStreams } from '../streams/application-streams.ts'
import { LinkReports } from '../streams/link-reports.ts'
import { createKeys } from './keys.ts'
import { Lifecycle } from './lifecycle.ts'
import type { Notifications } from './notifications.ts'
import { Reigns } from './reigns.ts'
import { peersInterval, SavedPeers } from './saved-peers.ts'
import { SavedRecords } from './saved-records.ts'
import { Signals } from './signals.ts'

/**
 * Interval at which a node makes libp2p forget peers without a connection, ms. Guess: a pool
 * changes little in this time.
 */
const forgetInterval = 60_000

/**
 * Interval at which a node that is alone asks the local network for members (mDNS), ms. Guess: see
 * `mdns-discovery.ts`.
 */
const aloneInterval = 10_000
/**
 * Time for a relay to dial a member that can be dialled, ms. Guess: a round trip on a busy host.
 */
const relayDialTime = 2_000

/** A node from its start to its end. It reacts to the notifications of its engine. */
export class RunningNode {
  readonly parts: Parts
  readonly engine: Engine
  readonly keys: OverlayKeys
  readonly lifecycle: Lifecycle
  readonly notifications: Notifications
  readonly reigns: Reigns
  readonly reports: LinkReports
  readonly signals: Signals
  readonly streams: ApplicationStreams
  readonly #relay: RelayService
  readonly #checks: ReachChecks
  readonly #reach: OwnReach | undefined
  readonly #peers: SavedPeers
  readonly #records: SavedRecords
  /** The latest life of this node, also after the end of that life. */
  #self: PoolMember | undefined
  #members: readonly PoolMember[] = []
  /**
   * The fingerprint of all facts at the last sort of {@link #members}. Undefined: the list is
   * outdated.
   */
  #sorted: string | undefined

  constructor(parts: Parts, notifications: Notifications) {
    this.parts = parts
    this.notifications = notifications
    this.engine = new Engine(parts, {
      onNotification: (notification) => this.notifications.publish(this.#react(notification)),
      onMeasured: (measured) => queueMicrotask(() => this.notifications.publish({ type: 'measured', ...measured })),
      onFailure: (error) => void this.abandon(error),
      onLinked: () => this.#reach?.linked(),
      onAddresses: () => this.#reach?.review(),
    })
    const { node, links, paths } = this.engine
    this.streams = new ApplicationStreams({
      libp2p: parts.host.libp2p,
      paths,
      find: (id) => node.member(id),
      onUnused: (connection) => links.closeIfUnusedLater(connection),
    })
    this.reports = new LinkReports(this.streams, parts.names.reports, () => node.linkStates())
    const { libp2p } = parts.host
    const dials = new RelayDials(async (id) => {
      const member = node.member(id)
      if (member === undefined) throw new UnknownMemberError(id)
      return await paths.connect(member, AbortSignal.timeout(relayDialTime))
    })
    this.#relay = new RelayService({
      libp2p,
      protocols: parts.names.circuits,
      isMember: (id) => node.member(id) !== undefined,
      connect: async (id) => {
        const member = node.member(id)
        return member === undefined || paths.needsRelay(member) ? absent : ((await dials.connect(id)) ?? unanswered)
      },
    })
    this.#checks = new ReachChecks({
      streams: this.streams,
      protocol: parts.names.reach,
      addressesOf: (id) => node.member(id)?.addresses ?? [],
      dial: async (address, stop) => await libp2p.dial(address, { force: true, signal: stop }),
      release: (connection) => links.closeIfUnusedLater(connection),
    })
    // A tab does not find out its reach: nobody can dial it.
    this.#reach =
      firstReach !== 'direct'
        ? undefined
        : new OwnReach({
            peers: () =>
              libp2p.getConnections().flatMap(({ remotePeer, remoteAddr, direction, status }) => {
                const id = remotePeer.toString()
                return status === 'open' && links.has(id)
                  ? [{ id, remote: remoteAddr, isInbound: direction === 'inbound' && canDial(remoteAddr) }]
                  : []
              }),
            addresses: () => parts.host.addresses(),
            ask: async (id) => await this.#checks.ask(id),
            onReach: (reach) => {
              this.engine.deliver({ type: 'reach', reach })
              this.engine.relays.look()
            },
          })
    this.signals = new Signals((command) => this.command(command))
    this.reigns = new Reigns(parts.config.limits.elections, (election) => node.reign(election))
    this.#peers = new SavedPeers(
      parts.peers,
      parts.identity.id,
      () => this.members(),
      () => node.epochs(),
    )
    this.#records = new SavedRecords(parts.records, () => (node.hasRestoredRecords ? node.recordFrames() : undefined))
    this.keys = createKeys(parts, () => this.lifecycle.checkOpen())
    this.lifecycle = new Lifecycle({
      pool: parts.pool,
      sayGoodbye: () => {
        this.#peers.save()
        this.engine.command({ type: 'leave' })
        return node.links.size > 0 || node.isDeparting
      },
      isDeparting: () => node.isDeparting,
      takeDown: async (error) => {
        this.signals.close(error)
        this.#reach?.stop()
        try {
          await this.engine.stop(error)
          await this.#peers.saved
          await this.#records.close()
        } finally {
          parts.identity.release()
        }
      },
    })
  }

  /** Resolves when this node has entered the pool. */
  async start(introducers: readonly Introducer[], signal: AbortSignal | undefined): Promise<void> {
    const { host, discovery } = this.parts
    const { links } = this.engine
    this.lifecycle.every(addressInterval, () => this.engine.updateAddresses())
    this.lifecycle.every(forgetInterval, () => void host.forgetPeers())
    this.lifecycle.every(relayInterval, () => this.engine.relays.look())
    this.lifecycle.every(reachInterval, () => this.#reach?.review())
    this.lifecycle.every(peersInterval, () => this.#peers.saveChanges())
    if (discovery) this.lifecycle.every(aloneInterval, () => void (links.count === 0 && discovery.ask()))
    await this.reports.start()
    await this.#checks.start()
    await this.#relay.start()
    await this.engine.start(introducers, signal)
  }

  /** Handles a node found on the local network. */
  discovered(introducer: Introducer): void {
    this.engine.deliver({ type: 'discovered', introducer })
  }

  /** Takes everything down, since the node can't start or can't go on. */
  async abandon(error: unknown): Promise<void> {
    await this.lifecycle.close({ reason: 'failed', error: asError(error) })
  }

  get self(): PoolMember {
    if (!this.#self) throw new OverlayClosedError('this node has not entered the pool yet')
    return this.#self
  }

  /**
   * Returns the view, sorted by id. A pool may have many thousands of members, so this method sorts
   * them only if the fingerprint of all facts has changed. Notifications would not suffice: none
   * reports that a life from before a long sleep is back.
   */
  members(): readonly PoolMember[] {
    const { node } = this.engine
    const { count, high, low } = node.fingerprint
    const sorted = `${count} ${high} ${low}`
    if (sorted !== this.#sorted) this.#members = node.members().map(showMember)
    this.#sorted = sorted
    return this.#members
  }

  /** Throws {@link OverlayClosedError} once the end of the node has begun. */
  command(command: Command): void {
    this.lifecycle.checkOpen()
    this.engine.command(command)
  }

  /** Handles a start in which no introducer let this node in. */
  #goOnAlone(): void {
    const { founds, peers } = this.parts
    const remembered = peers?.introducers().length ?? 0
    const what = `none of the ${remembered} remembered addresses of members answers: this node goes on alone, and tries them for some minutes more`
    if (remembered > 0) this.notifications.warn('INTRODUCER_UNREACHABLE', what)
    if (founds) this.engine.command({ type: 'found' })
  }

  /** Reacts to a notification. Returns it as the application gets it. */
  #react(notification: Notification): OverlayNotification {
    switch (notification.type) {
      case 'joined':
      case 'updated': {
        const member = showMember(notification.member)
        // A dishonest member can sign two states of one life with one fingerprint.
        if (notification.type === 'updated') this.#sorted = undefined
        if (member.id === this.parts.identity.id) this.#self = member
        this.#peers.changed()
        return { ...notification, member }
      }
      case 'died':
        void this.streams.died(notification.member.id)
        return { ...notification, member: showMember(notification.member) }
      case 'left':
        return { ...notification, member: showMember(notification.member) }
      case 'elected':
        this.reigns.add(notification.reign.election)
        this.#peers.elected(notification.reign)
        return { ...notification, reign: showReign(notification.reign) }
      case 'record':
        this.#records.changed()
        return notification
      case 'signal':
      case 'event':
      case 'query':
        return { ...notification, from: showMember(notification.from) }
      case 'health':
        return { ...notification, health: showHealth(notification.health, this.engine.now) }
      case 'signalled':
        this.signals.settle(notification)
        return notification
      case 'entered':
        if (notification.alone) this.#goOnAlone()
        return notification
      default:
        return notification
    }
  }
}
