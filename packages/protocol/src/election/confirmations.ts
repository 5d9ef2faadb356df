/**
 * Confirmations: how many peers told a claim that is not plausible by itself.
 *
 * One claim at a time from each peer, so that who makes up many keeps nobody else's out. Where few peers hold a claim, as after a heal,
 * the same ones count again some time later, unless it is absurd.
 */
import type { Milliseconds, NodeId } from '../base/io.ts'
import type { Context } from '../context/context.ts'

interface Telling {
  readonly claim: string
  /** When the peer told it last. */
  readonly at: Milliseconds
  /** How often that counts. */
  readonly times: number
}

export class Confirmations {
  readonly #context: Context
  /** What each peer tells at present. */
  readonly #tellings = new Map<NodeId, Telling>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Counts one telling (`from` undefined: the topic's, which nobody answers for) and says whether the claim was told often enough. */
  tell(claim: string, from: NodeId | undefined, isAbsurd: boolean): boolean {
    const { links, config } = this.#context
    if (from !== undefined) this.#note(claim, from)
    // Keys cost nothing: only those count, and are remembered, that stay.
    for (const peer of this.#tellings.keys()) if (links.get(peer)?.entered !== true) this.#tellings.delete(peer)
    const entered = [...links.values()].filter((link) => link.entered).length
    let count = 0
    for (const telling of this.#tellings.values()) if (telling.claim === claim) count += isAbsurd ? 1 : telling.times
    return count >= Math.min(config.election.confirmations, Math.max(entered, 1))
  }

  clear(): void {
    this.#tellings.clear()
  }

  #note(claim: string, from: NodeId): void {
    const { config, now } = this.#context
    const present = this.#tellings.get(from)
    if (present?.claim !== claim) this.#tellings.set(from, { claim, at: now, times: 1 })
    else if (now - present.at >= config.election.tellAgain) this.#tellings.set(from, { claim, at: now, times: present.times + 1 })
  }
}
