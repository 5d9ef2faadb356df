import type { Milliseconds, NodeId } from '@jel/protocol'
import { exactLog } from '@jel/simulator/internals'
import type { BaselineNode } from './baseline-node.ts'
import * as message from './central-message.ts'
import type { CentralMessage, PoolState } from './central-message.ts'
import type { CentralTechnique } from './central-technique.ts'
import { EventStream, PoolEvent } from './event-stream.ts'
import { Pusher } from './pusher.ts'
import { toContact } from './contact.ts'
import { pickDistinct } from './pick.ts'

interface Entry {
  readonly join: PoolEvent
  /** The number of the first event that the node lacked at the last push. */
  confirmed: number
  seen: Milliseconds
  pinged: boolean
}

/**
 * The registry server of §5.1. It numbers all events, sends them to the nodes, and detects
 * failures.
 */
export class CentralServer {
  readonly #node: BaselineNode<CentralMessage>
  readonly #technique: CentralTechnique
  readonly #memberList
  readonly #stream = new EventStream()
  readonly #entries = new Map<NodeId, Entry>()
  readonly #pushers: Pusher[] = []
  #purged = 0
  #purgeDue: Milliseconds = 0
  #state: PoolState | undefined

  constructor(node: BaselineNode<CentralMessage>, technique: CentralTechnique) {
    this.#node = node
    this.#technique = technique
    this.#memberList = technique.createMemberList()
  }

  get list(): readonly PoolEvent[] {
    return this.#memberList.list
  }

  start(): void {
    const { dissemination, serverThreads, fallbackInterval, treeInterval } = this.#technique
    const common = {
      threads: serverThreads,
      time: () => this.#stream.next,
      push: (target: PoolEvent, done: () => void) => this.#push(target, done),
    }
    const targets = (): PoolEvent[] => [...this.#memberList.list]
    // With each technique, the original goes through all nodes at long intervals. With serial send,
    // a new event also begins the next round.
    this.#pushers.push(new Pusher(this.#node, { ...common, interval: fallbackInterval, triggered: dissemination === 'serial', targets }))
    if (dissemination === 'tree') {
      const children = (): PoolEvent[] => this.#memberList.children(undefined)
      this.#pushers.push(new Pusher(this.#node, { ...common, interval: treeInterval, triggered: true, targets: children }))
    }
    for (const pusher of this.#pushers) pusher.start()
    if (dissemination === 'gossip') this.#seed()
    this.#look()
  }

  serve(request: CentralMessage): CentralMessage | undefined {
    switch (request.type) {
      case 'join': {
        const event = new PoolEvent(this.#stream.next, 'joined', request.member)
        this.#entries.set(request.member.id, { join: event, confirmed: this.#purged, seen: this.#node.now, pinged: false })
        this.#add(event)
        return message.welcome(event, this.#purged, this.#peersFor())
      }
      case 'leave':
        this.#end(request.join, 'left')
        return message.ok
      case 'heartbeat':
        this.#seen(request.join)
        return message.ok
      case 'getState':
        return message.stateAnswer(this.#snapshot())
      default:
        return undefined
    }
  }

  #peersFor(): readonly PoolEvent[] {
    const { peerBootstrap, bootstrapPeers } = this.#technique
    return peerBootstrap ? pickDistinct(this.#memberList.list, bootstrapPeers, () => this.#node.random()) : []
  }

  #add(event: PoolEvent): void {
    this.#stream.add(event)
    if (event.type === 'joined') this.#memberList.add(event)
    else this.#memberList.remove(event.join)
    this.#node.notify(event.notification)
    for (const pusher of this.#pushers) pusher.notice()
  }

  #end(join: PoolEvent, type: 'left' | 'died'): void {
    if (!this.#entries.delete(join.member.id)) return
    this.#add(new PoolEvent(this.#stream.next, type, join.member, join))
  }

  #seen(join: PoolEvent): void {
    const entry = this.#entries.get(join.member.id)
    if (entry !== undefined) entry.seen = this.#node.now
  }

  #push(target: PoolEvent, done: () => void): void {
    const entry = this.#entries.get(target.member.id)
    if (entry === undefined) {
      done()
      return
    }
    this.#node.calls.call({
      to: toContact(target.member),
      request: message.push,
      timeout: this.#technique.serverConnectTimeout,
      persistent: true,
      answered: (answer) => {
        if (answer.type !== 'lacks') {
          entry.seen = this.#node.now
          done()
          return undefined
        }
        entry.confirmed = Math.max(entry.confirmed, answer.from)
        this.#purge()
        return message.update(answer.bootstrap ? this.#snapshot() : undefined, this.#stream.from(answer.from), this.#purged)
      },
      failed: done,
    })
  }

  /** Seeds gossip at one random node at a time (§5.1.4). */
  #seed(): void {
    let threads = 0
    const { gossipInterval, adaptive, serverThreads } = this.#technique
    const seedOne = (): void => {
      const { list } = this.#memberList
      const target = list[Math.floor(this.#node.random() * list.length)]
      if (target !== undefined && threads < serverThreads) {
        threads += 1
        this.#push(target, () => (threads -= 1))
      }
      const divisor = adaptive && list.length > 1 ? Math.max(1, exactLog(list.length) / Math.LN2) : 1
      this.#node.after(Math.max(1, Math.floor(gossipInterval / divisor)), seedOne)
    }
    seedOne()
  }

  /**
   * Pings each node that has been silent for the heartbeat interval. Declares the node dead if the
   * ping fails.
   */
  #look(): void {
    for (const entry of this.#entries.values()) {
      if (entry.pinged || this.#node.now - entry.seen < this.#technique.heartbeatInterval) continue
      entry.pinged = true
      this.#node.calls.call({
        to: toContact(entry.join.member),
        request: message.ping,
        timeout: this.#technique.serverConnectTimeout,
        persistent: true,
        answered: () => {
          entry.pinged = false
          entry.seen = this.#node.now
          return undefined
        },
        failed: () => this.#end(entry.join, 'died'),
      })
    }
    this.#node.after(lookEvery, () => this.#look())
  }

  /** Forgets events that all nodes have. Newcomers do not need them. */
  #purge(): void {
    if (this.#purgeDue > this.#node.now) return
    this.#purgeDue = this.#node.now + purgeEvery
    let lowest = this.#stream.next
    for (const { confirmed } of this.#entries.values()) lowest = Math.min(lowest, confirmed)
    this.#purged = Math.max(this.#purged, lowest)
    this.#stream.forget(this.#purged)
  }

  #snapshot(): PoolState {
    const time = this.#stream.next
    if (this.#state?.time !== time) this.#state = { time, members: this.#memberList.copy() }
    return this.#state
  }
}

/** Interval between checks for silent nodes. */
const lookEvery: Milliseconds = 1_000
/**
 * Interval between purges. The original purges after each round, but a shorter interval than this
 * changes nothing.
 */
const purgeEvery: Milliseconds = 1_000
