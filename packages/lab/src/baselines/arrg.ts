import type { BaselineNode } from './baseline-node.ts'
import { ArrgCache, type Peer } from './arrg-cache.ts'
import * as message from './distributed-message.ts'
import type { DistributedMessage } from './distributed-message.ts'
import type { DistributedSettings } from './distributed-settings.ts'

/**
 * Peer sampling by gossip (§5.2). A node asks a random peer of its cache, then one of the fallback
 * cache, and then the service. It stops at the first exchange that succeeds.
 */
export class Arrg {
  readonly #node: BaselineNode<DistributedMessage>
  readonly #settings: DistributedSettings
  readonly #self: Peer
  readonly #service: Peer | undefined
  readonly #cache: ArrgCache
  /** Peers with which an exchange succeeded. */
  readonly #fallback: ArrgCache
  #stopped = false

  constructor(node: BaselineNode<DistributedMessage>, settings: DistributedSettings, self: Peer, service: Peer | undefined) {
    this.#node = node
    this.#settings = settings
    this.#self = self
    this.#service = service
    const random = (): number => node.random()
    this.#cache = new ArrgCache(settings.cacheSize, random)
    this.#fallback = new ArrgCache(settings.cacheSize, random)
  }

  start(): void {
    this.#exchange()
  }

  stop(): void {
    this.#stopped = true
  }

  /**
   * Returns a random node of the pool; undefined if the cache is empty, or if the random peer is
   * the service.
   */
  one(): Peer | undefined {
    const peer = this.#cache.one()
    return peer?.service === true ? undefined : peer
  }

  some(count: number): Peer[] {
    return this.#cache.some(count).filter(({ service }) => !service)
  }

  answer(peer: Peer, peers: readonly Peer[]): DistributedMessage {
    const said = this.#said()
    this.#learn(peer, peers)
    return said
  }

  #learn(peer: Peer, peers: readonly Peer[]): void {
    this.#cache.add(peer)
    this.#cache.addAll(peers)
    this.#cache.trim()
  }

  #said(): DistributedMessage {
    return message.arrg(this.#self, this.#cache.some(this.#settings.arrgSize))
  }

  #exchange(): void {
    if (this.#stopped) return
    const rest = (): void => void this.#node.after(this.#node.random() * this.#settings.arrgInterval + 1, () => this.#exchange())
    const { arrgConnectTimeout, serviceConnectTimeout } = this.#settings
    const askService = (): void => {
      if (this.#service === undefined) rest()
      else this.#ask(this.#service, serviceConnectTimeout, true, rest, rest)
    }
    const askFallback = (): void => {
      const peer = this.#fallback.one()
      if (peer === undefined) askService()
      else this.#ask(peer, arrgConnectTimeout, false, rest, askService)
    }
    const peer = this.#cache.one()
    if (peer === undefined) {
      askFallback()
      return
    }
    const succeeded = (): void => {
      this.#fallback.add(peer)
      this.#fallback.trim()
      rest()
    }
    this.#ask(peer, arrgConnectTimeout, false, succeeded, askFallback)
  }

  #ask(peer: Peer, timeout: number, persistent: boolean, succeeded: () => void, failed: () => void): void {
    if (peer === this.#self) {
      succeeded()
      return
    }
    this.#node.calls.call({
      to: peer.contact,
      request: this.#said(),
      timeout,
      persistent,
      answered: (answer) => {
        if (answer.type === 'arrg') this.#learn(answer.peer, answer.peers)
        succeeded()
        return undefined
      },
      failed,
    })
  }
}
