/**
 * Confirmations: how many peers told a claim that is not plausible by itself.
 *
 * One claim at a time from each peer, so that who makes up many keeps nobody else's out. Where few peers hold a claim, as after a heal,
 * the same ones count again some time later, unless it is absurd.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'

interface Tellings {
  /** When which peer told it last. */
  readonly peers: Map<NodeId, Milliseconds>
  /** How often all did. */
  count: number
}

export class Confirmations {
  readonly #context: Context
  readonly #tellings = new Map<string, Tellings>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Counts one telling (`from` undefined: the topic's, which nobody answers for) and says whether the claim was told often enough. */
  tell(claim: string, from: NodeId | undefined, isAbsurd: boolean): boolean {
    if (from !== undefined) this.#count(claim, from, isAbsurd)
    const { links, config } = this.#context
    const entered = [...links.values()].filter((link) => link.entered).length
    return (this.#tellings.get(claim)?.count ?? 0) >= Math.min(config.election.confirmations, Math.max(entered, 1))
  }

  clear(): void {
    this.#tellings.clear()
  }

  #count(claim: string, from: NodeId, isAbsurd: boolean): void {
    const { config, now } = this.#context
    for (const [other, { peers }] of this.#tellings) {
      if (other !== claim && peers.delete(from) && peers.size === 0) this.#tellings.delete(other)
    }
    const tellings = this.#tellings.get(claim) ?? { peers: new Map<NodeId, Milliseconds>(), count: 0 }
    this.#tellings.set(claim, tellings)
    const last = tellings.peers.get(from)
    if (last !== undefined && (isAbsurd || now - last < config.election.tellAgain)) return
    tellings.peers.set(from, now)
    tellings.count += 1
  }
}
