import { NO_VOTERS, decodeConfiguration, hasSeat, type Configuration } from './configuration.ts'
import { VOTERS, chain, firstHash, type Content, type Digest, type Entry } from './entry.ts'
import type { Snapshot } from './log.ts'
import type { Seat } from './seat.ts'

/** Committed entries that a voter spreads. */
export interface Page {
  /** The index of the first entry. */
  readonly first: number
  readonly entries: readonly Content[]
  /** The hash of the last entry: the page continues only one chain. */
  readonly hash: string
}

/**
 * The committed entries as a member without a seat follows them. It takes a page only of a voter,
 * and only if the page continues the chain of hashes. Otherwise the caller fetches what is missing.
 */
export class Reader {
  readonly #digest: Digest
  /** The last entry that it has. */
  index = 0
  hash: string
  /** The term of that entry. */
  term = 0
  /** The voters, as far as it has read. A member that has read nothing knows none. */
  voters: Configuration = NO_VOTERS

  constructor(digest: Digest, ledger: string) {
    this.#digest = digest
    this.hash = firstHash(digest, ledger)
  }

  /**
   * Returns the new entries of a page. `gap`: entries before it are missing. `foreign`: it is no
   * page of a voter, or it continues another chain. `signer` is undefined if the caller can reach
   * no voter that this reader knows: all of them may be replaced.
   */
  take(signer: Seat | undefined, { first, entries, hash }: Page): readonly Entry[] | 'gap' | 'foreign' {
    if (signer !== undefined && this.voters.groups.length > 0 && !hasSeat(this.voters, signer)) return 'foreign'
    if (first > this.index + 1) return 'gap'
    const added = chain(this.#digest, this.hash, entries.slice(this.index + 1 - first))
    if (added.length > 0 && added.at(-1)?.hash !== hash) return 'foreign'
    return this.#follow(added)
  }

  /** Takes committed entries of this member's own seat. Returns the new ones. */
  advance(first: number, entries: readonly Entry[]): readonly Entry[] {
    return this.#follow(entries.slice(Math.max(0, this.index + 1 - first)))
  }

  /** Goes on behind a snapshot that a voter gave. */
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
