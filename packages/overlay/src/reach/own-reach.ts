/**
 * Finds out how others reach this node. Only members elsewhere count, those with public addresses:
 * within its own network a node can be dialled in any case. A node without a public address of its
 * own is `hidden`. A node with one is `direct` if a member elsewhere has dialled it. Otherwise it
 * asks two members elsewhere to dial it, and a third if they disagree.
 */
import type { NodeId, Reach } from '@jel/protocol'
import type { Multiaddr } from '@multiformats/multiaddr'
import { isName, isPublic, networkOf } from '../base/addresses.ts'
import { later, type Timer } from '../base/timers.ts'

/** Wait after a change before this node asks, ms. Guess: many links come up at once. */
const settle = 1_000
/** This node asks again after this time, ms. Guess: a router forgets a port now and then. */
export const reachInterval = 600_000

export interface Peer {
  readonly id: NodeId
  readonly remote: Multiaddr
  readonly isInbound: boolean
}

export interface OwnReachOptions {
  /** The linked members, one entry for each connection. */
  readonly peers: () => readonly Peer[]
  /** The addresses that this node announces. */
  readonly addresses: () => readonly Multiaddr[]
  /** Asks a member whether it can dial this node. Undefined: it does not say. */
  readonly ask: (id: NodeId) => Promise<boolean | undefined>
  readonly onReach: (reach: Reach) => void
}

export class OwnReach {
  readonly #options: OwnReachOptions
  #reach: Reach = 'direct'
  #timer: Timer | undefined
  #isAsking = false
  /** Whether the last answers still hold. */
  #isKnown = false
  /** A review came while this node asked. */
  #isOutdated = false
  #isStopped = false

  constructor(options: OwnReachOptions) {
    this.#options = options
  }

  /** A link to a member came up. */
  linked(): void {
    if (!this.#isKnown) this.#plan()
  }

  /** The addresses of this node have changed, or the answers are old. */
  review(): void {
    this.#isKnown = false
    this.#isOutdated = this.#isAsking
    this.#plan()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #plan(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    this.#timer = later(() => {
      this.#timer = undefined
      void this.#check()
    }, settle)
  }

  async #check(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    try {
      const reach = await this.#learn()
      if (reach === undefined || this.#isStopped || this.#isOutdated) return
      this.#isKnown = true
      if (reach === this.#reach) return
      this.#reach = reach
      this.#options.onReach(reach)
    } finally {
      this.#isAsking = false
      if (this.#isOutdated) this.#plan()
      this.#isOutdated = false
    }
  }

  /** Undefined: nobody can tell. */
  async #learn(): Promise<Reach | undefined> {
    const { peers, addresses, ask } = this.#options
    const elsewhere = peers().filter(({ remote }) => isPublic(remote))
    if (elsewhere.length === 0) return undefined
    const own = addresses()
    // The user has announced a name. Nobody dials the names of others for a check.
    if (own.some(isName)) return 'direct'
    if (!own.some(isPublic)) return 'hidden'
    if (elsewhere.some(({ isInbound }) => isInbound)) return 'direct'
    const answers: boolean[] = []
    // Members with one IPv4 address, or with the same 48 bits of IPv6, count once.
    for (const { id } of new Map(elsewhere.map((peer) => [networkOf(peer.remote, 4, 3), peer])).values()) {
      const answer = await ask(id)
      if (answer !== undefined) answers.push(answer)
      const [first, second, third] = answers
      if (third !== undefined || (first !== undefined && first === second)) break
    }
    const yes = answers.filter(Boolean).length
    return answers.length === 0 ? undefined : 2 * yes >= answers.length ? 'direct' : 'hidden'
  }
}
