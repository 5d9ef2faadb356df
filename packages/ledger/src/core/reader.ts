import { NO_VOTERS, decodeConfiguration, hasSeat, type Configuration } from './configuration.ts'
import { VOTERS, chain, firstHash, type Content, type Digest, type Entry } from './entry.ts'
import type { Snapshot } from './log.ts'
import type { Seat } from './seat.ts'

/** Committed entries that a voter publishes. */
export interface Page {
  /** The index of the first entry. */
  readonly first: number
  readonly entries: readonly Content[]
  /** The hash of the last entry. It proves that the page continues the reader's chain. */
  readonly hash: string
}

/**
 * The committed entries that a member has read, from its own seat or from a voter that it follows.
 * A page counts only if a voter sent it, and if it continues the chain of hashes. Otherwise the
 * caller subscribes to another voter.
 */
export class Reader {
  readonly #digest: Digest
  /** The index of the last entry. */
  index = 0
  hash: string
  /** The term of that entry. */
  term = 0
  /** The voters as of that entry. Before the first change of voters no entry names them. */
  voters: Configuration = NO_VOTERS

  constructor(digest: Digest, ledger: string) {
    this.#digest = digest
    this.hash = firstHash(digest, ledger)
  }

  /**
   * Returns the new entries of a page. `gap`: entries before the page are missing. `foreign`: the
   * sender is no voter, or the page continues another chain.
   *
   * @param signer the seat that sent the page. Undefined: it is not checked, because the caller can
   *   reach no voter that this reader knows. All of them may have been replaced
   */
  take(signer: Seat | undefined, { first, entries, hash }: Page): readonly Entry[] | 'gap' | 'foreign' {
    if (signer !== undefined && this.voters.groups.length > 0 && !hasSeat(this.voters, signer)) return 'foreign'
    if (first > this.index + 1) return 'gap'
    const added = chain(this.#digest, this.hash, entries.slice(this.index + 1 - first))
    if (added.length > 0 && added.at(-1)?.hash !== hash) return 'foreign'
    return this.#follow(added)
  }

  /** Adds committed entries of this member's own seat. Returns those that are new. */
  advance(first: number, entries: readonly Entry[]): readonly Entry[] {
    return this.#follow(entries.slice(Math.max(0, this.index + 1 - first)))
  }

  /** Continues after a snapshot. */
  install({ index, term, hash, configuration }: Snapshot): void {
    if (index <= this.index) return
    this.index = index
    this.hash = hash
    this.term = term
    this.voters = configuration
  }

  #follow(added: readonly Entry[]): readonly Entry[] {
    this.index += added.length
    for (const entry of added) {
      this.hash = entry.hash
      this.term = entry.term
      if (entry.kind === VOTERS) this.voters = decodeConfiguration(entry.body) ?? this.voters
    }
    return added
  }
}
