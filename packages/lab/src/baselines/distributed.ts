import type { Introducer, Member } from '@jel/protocol'
import type { ProtocolParts } from '@jel/simulator'
import { Arrg } from './arrg.ts'
import { BaselineNode } from './baseline-node.ts'
import type { NodeNumbers } from './node-numbers.ts'
import { serviceContact, toContact } from './contact.ts'
import * as message from './distributed-message.ts'
import type { DistributedMessage, Person } from './distributed-message.ts'
import type { DistributedSettings } from './distributed-settings.ts'
import { DistributedView } from './distributed-view.ts'

/**
 * The distributed implementation. The first node is the bootstrap service, which runs only ARRG.
 * All others are members.
 */
export class DistributedNode extends BaselineNode<DistributedMessage> {
  readonly #settings: DistributedSettings
  readonly #numbers: NodeNumbers
  #arrg: Arrg | undefined
  #view: DistributedView | undefined
  #person: Person | undefined
  #stopped = false

  constructor(parts: ProtocolParts, settings: DistributedSettings, numbers: NodeNumbers) {
    super(parts)
    this.#settings = settings
    this.#numbers = numbers
  }

  members(): Member[] {
    return this.#view?.members() ?? []
  }

  protected started(member: Member, service: Introducer | undefined): void {
    const self = this.#numbers.peer(toContact(member), service === undefined)
    const bootstrap = service === undefined ? undefined : this.#numbers.peer(serviceContact(service), true)
    this.#arrg = new Arrg(this, this.#settings, self, bootstrap)
    this.#arrg.start()
    if (service === undefined) return
    this.#person = this.#numbers.register(member)
    this.#view = new DistributedView(this, this.#settings, this.#numbers, this.#person)
    this.#gossip(this.#arrg, this.#view)
    this.#look(this.#view)
  }

  protected serve(request: DistributedMessage): DistributedMessage | undefined {
    switch (request.type) {
      case 'arrg':
        return this.#arrg?.answer(request.peer, request.peers)
      case 'gossip':
        this.#view?.hear(request.gossip)
        return this.#view === undefined ? undefined : message.gossip(this.#view.say())
      case 'leave':
        this.#view?.heardLeave(request.person)
        return message.ok
      case 'ping':
        return message.pong()
      default:
        return undefined
    }
  }

  /** Sends a leave to some of ARRG's peers. Stops when they have answered or failed. */
  protected left(): void {
    const told = this.#arrg?.some(this.#settings.leavesSent) ?? []
    let waiting = told.length
    const done = (): void => {
      waiting -= 1
      if (waiting <= 0) this.#stop()
    }
    if (this.#person === undefined || waiting === 0) {
      this.#stop()
      return
    }
    const request = message.leave(this.#person)
    for (const { contact } of told) {
      const answered = (): undefined => {
        done()
        return undefined
      }
      if (contact.id === this.parts.id) done()
      else this.calls.call({ to: contact, request, timeout: this.#settings.leaveConnectTimeout, persistent: true, answered, failed: done })
    }
  }

  #gossip(arrg: Arrg, view: DistributedView): void {
    if (this.#stopped) return
    const rest = (): void => void this.after(this.random() * this.#settings.gossipInterval, () => this.#gossip(arrg, view))
    const peer = arrg.one()
    if (peer === undefined || peer.contact.id === this.parts.id) {
      rest()
      return
    }
    this.calls.call({
      to: peer.contact,
      request: message.gossip(view.say()),
      timeout: this.#settings.connectTimeout,
      persistent: true,
      answered: (answer) => {
        if (answer.type === 'gossip' && !this.#stopped) view.hear(answer.gossip)
        rest()
        return undefined
      },
      failed: rest,
    })
  }

  /** Calls suspects, one after the other. Repeats this until the node stops. */
  #look(view: DistributedView): void {
    if (this.#stopped) return
    view.tidy()
    const suspects = view.suspects()
    let next = 0
    const callNext = (): void => {
      const suspect = suspects[next++]
      if (suspect === undefined || this.#stopped) {
        this.after(this.random() * this.#settings.pingInterval, () => this.#look(view))
        return
      }
      this.calls.call({
        to: toContact(suspect.member),
        request: message.ping,
        timeout: this.#settings.connectTimeout,
        persistent: this.#settings.persistentPings,
        answered: () => {
          view.reached(suspect)
          callNext()
          return undefined
        },
        failed: () => {
          view.unreached(suspect)
          callNext()
        },
      })
    }
    callNext()
  }

  #stop(): void {
    this.#stopped = true
    this.#arrg?.stop()
    this.calls.stop()
  }
}
