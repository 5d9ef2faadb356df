import type { Member } from '@jel/protocol'
import type { BaselineNode } from './baseline-node.ts'
import type { Contact } from './call.ts'
import * as message from './central-message.ts'
import type { CentralMessage, PoolState } from './central-message.ts'
import type { CentralTechnique } from './central-technique.ts'
import { toContact } from './contact.ts'
import { EventStream, type PoolEvent } from './event-stream.ts'
import { Pusher } from './pusher.ts'
import type { MemberList } from './member-list.ts'

/** A node of the central implementation (§5.1). */
export class CentralClient {
  readonly #node: BaselineNode<CentralMessage>
  readonly #technique: CentralTechnique
  readonly #service: Contact
  readonly #stream = new EventStream()
  /** The members at {@link #time}; undefined until the state has come. */
  #memberList: MemberList | undefined
  /** The number of the next event to apply. */
  #time = 0
  #join: PoolEvent | undefined
  #pusher: Pusher | undefined
  #state: PoolState | undefined
  #heartbeatDue = 0
  #stopped = false

  constructor(node: BaselineNode<CentralMessage>, technique: CentralTechnique, service: Contact) {
    this.#node = node
    this.#technique = technique
    this.#service = service
  }

  get list(): readonly PoolEvent[] {
    return this.#memberList?.list ?? []
  }

  start(self: Member): void {
    this.#ask(message.join(self), (answer) => {
      if (answer.type === 'welcome') this.#welcome(answer.join, answer.since, answer.peers)
    })
  }

  /** Sends a leave to the server. Stops when the server has answered. */
  leave(): void {
    if (this.#join === undefined) this.#stop()
    else this.#ask(message.aboutSelf('leave', this.#join), () => this.#stop())
  }

  serve(request: CentralMessage): CentralMessage | undefined {
    switch (request.type) {
      case 'ping':
        return message.pong()
      case 'push':
        return message.lacks(this.#needs, !this.#technique.peerBootstrap && this.#memberList === undefined)
      case 'update':
        if (request.state !== undefined) this.#init(request.state)
        this.#receive(request.events)
        if (request.purge !== undefined) this.#forget(request.purge)
        return message.ok
      case 'getState':
        return this.#memberList === undefined ? message.noState : message.stateAnswer(this.#snapshot(this.#memberList))
      case 'gossip':
        return message.gossipAnswer(this.#time, request.time < this.#time ? this.#stream.from(request.time) : [])
      case 'gossipEvents':
        this.#receive(request.events)
        return message.ok
      default:
        return undefined
    }
  }

  /** The number of the first event that this node lacks. */
  get #needs(): number {
    return this.#memberList === undefined ? this.#stream.next : Math.max(this.#time, this.#stream.next)
  }

  #ask(request: CentralMessage, answered: (answer: CentralMessage) => void): void {
    this.#node.calls.call({
      to: this.#service,
      request,
      timeout: this.#technique.nodeConnectTimeout,
      persistent: true,
      answered: (answer) => {
        this.#resetHeartbeat()
        answered(answer)
        return undefined
      },
      failed: () => undefined,
    })
  }

  #welcome(join: PoolEvent, since: number, peers: readonly PoolEvent[]): void {
    if (this.#join !== undefined) return
    this.#join = join
    this.#stream.forget(since)
    const { dissemination, peerBootstrap, nodeThreads, treeInterval } = this.#technique
    if (peerBootstrap)
      this.#bootstrap(
        peers.filter((peer) => peer !== join),
        0,
      )
    if (dissemination === 'gossip') this.#gossip()
    if (dissemination === 'tree') {
      this.#pusher = new Pusher(this.#node, {
        threads: nodeThreads,
        interval: treeInterval,
        triggered: true,
        targets: () => this.#memberList?.children(join) ?? [],
        time: () => this.#time,
        push: (target, done) => this.#forward(target, done),
      })
      this.#pusher.start()
    }
    this.#node.after(this.#heartbeatDue - this.#node.now, () => this.#heartbeat())
  }

  /** Asks one peer after the other for the state, and finally the server (§5.1.2). */
  #bootstrap(peers: readonly PoolEvent[], next: number): void {
    if (this.#memberList !== undefined || this.#stopped) return
    const peer = peers[next]
    const again = (): void => this.#bootstrap(peers, next + 1)
    this.#node.calls.call({
      to: peer === undefined ? this.#service : toContact(peer.member),
      request: message.getState(),
      timeout: this.#technique.nodeConnectTimeout,
      persistent: peer === undefined,
      answered: (answer) => {
        if (answer.type === 'state') this.#init(answer.state)
        else if (peer !== undefined) again()
        return undefined
      },
      failed: peer === undefined ? () => undefined : again,
    })
  }

  #init({ time, members }: PoolState): void {
    if (this.#memberList !== undefined || this.#stopped) return
    this.#time = time
    this.#memberList = members.copy()
    for (const { notification } of members.list) this.#node.notify(notification)
    this.#takeIn(this.#memberList)
  }

  #receive(events: readonly PoolEvent[]): void {
    for (const event of events) this.#stream.add(event)
    if (this.#memberList !== undefined && !this.#stopped) this.#takeIn(this.#memberList)
  }

  #takeIn(members: MemberList): void {
    for (let event = this.#stream.at(this.#time); event !== undefined; event = this.#stream.at(this.#time)) {
      this.#time += 1
      if (event.type === 'joined') members.add(event)
      else members.remove(event.join)
      this.#node.notify(event.notification)
    }
    this.#pusher?.notice()
  }

  #forget(time: number): void {
    if (this.#memberList === undefined || this.#time >= time) this.#stream.forget(time)
  }

  #forward(target: PoolEvent, done: () => void): void {
    if (this.#stopped || this.#memberList?.has(target) !== true) {
      done()
      return
    }
    this.#node.calls.call({
      to: toContact(target.member),
      request: message.push,
      timeout: this.#technique.nodeConnectTimeout,
      persistent: false,
      answered: (answer) => {
        if (answer.type === 'lacks' && this.#memberList !== undefined) {
          const state = answer.bootstrap ? this.#snapshot(this.#memberList) : undefined
          return message.update(state, this.#stream.from(answer.from), undefined)
        }
        done()
        return undefined
      },
      failed: done,
    })
  }

  /** Exchanges events with one random node after the other (§5.1.4). */
  #gossip(): void {
    if (this.#stopped) return
    const { gossipInterval, nodeConnectTimeout } = this.#technique
    const rest = (): void => void this.#node.after(this.#node.random() * gossipInterval * 2, () => this.#gossip())
    const { list } = this
    const peer = list[Math.floor(this.#node.random() * list.length)]
    if (peer === undefined || peer === this.#join) {
      rest()
      return
    }
    this.#node.calls.call({
      to: toContact(peer.member),
      request: message.gossip(this.#time),
      timeout: nodeConnectTimeout,
      persistent: false,
      answered: (answer) => {
        if (answer.type === 'gossipAnswer') {
          this.#receive(answer.events)
          if (answer.time < this.#time && answer.events.length === 0) return message.gossipEvents(this.#stream.from(answer.time))
        }
        rest()
        return undefined
      },
      failed: rest,
    })
  }

  #resetHeartbeat(): void {
    // As in the original: 0.3 to 0.8 of the interval within which the server expects a message.
    this.#heartbeatDue = this.#node.now + this.#technique.heartbeatInterval * (0.3 + this.#node.random() / 2)
  }

  #heartbeat(): void {
    if (this.#stopped || this.#join === undefined) return
    if (this.#node.now >= this.#heartbeatDue) {
      this.#resetHeartbeat()
      this.#ask(message.aboutSelf('heartbeat', this.#join), () => undefined)
    }
    this.#node.after(this.#heartbeatDue - this.#node.now, () => this.#heartbeat())
  }

  #stop(): void {
    this.#stopped = true
    this.#pusher?.stop()
    this.#node.calls.stop()
  }

  #snapshot(members: MemberList): PoolState {
    if (this.#state?.time !== this.#time) this.#state = { time: this.#time, members: members.copy() }
    return this.#state
  }
}
