import { NO_VOTERS, decodeConfiguration, type Configuration } from './configuration.ts'
import { VOTERS, type Entry } from './entry.ts'

/** Replaces all entries up to an index. Index 0: it replaces none. */
export interface Snapshot {
  readonly index: number
  readonly term: number
  readonly hash: string
  /** The configuration at that index. */
  readonly configuration: Configuration
  /** The state of the fold after that entry. */
  readonly state: Uint8Array
}

/** A configuration, and the index from which it is in force. */
export interface Placed {
  readonly index: number
  readonly configuration: Configuration
}

/** The entries of a ledger as one seat has them (Raft §5.3, §7). Indexes begin with 1. */
export class Log {
  snapshot: Snapshot
  entries: Entry[]
  /** The configuration of the snapshot, and of each entry that changes the voters. */
  configurations: Placed[]

  constructor(snapshot: Snapshot, entries: readonly Entry[]) {
    this.snapshot = snapshot
    this.entries = []
    this.configurations = [snapshot]
    this.append(entries)
  }

  get lastIndex(): number {
    return this.snapshot.index + this.entries.length
  }

  get lastTerm(): number {
    return (this.entries.at(-1) ?? this.snapshot).term
  }

  get lastHash(): string {
    return (this.entries.at(-1) ?? this.snapshot).hash
  }

  /**
   * The configuration in force. A configuration is in force as soon as it is appended (Raft §6).
   */
  get latest(): Placed {
    return this.configurations.at(-1) ?? { index: 0, configuration: NO_VOTERS }
  }

  /** The configuration before the latest one. */
  get before(): Placed | undefined {
    return this.configurations.at(-2)
  }

  /** Returns undefined if a snapshot has replaced the entry, or if it does not exist yet. */
  at(index: number): Entry | undefined {
    return index > this.snapshot.index ? this.entries[index - this.snapshot.index - 1] : undefined
  }

  /**
   * The term of an entry. Undefined: a snapshot of a later index has replaced it, or it does not
   * exist yet.
   */
  termAt(index: number): number | undefined {
    return index === this.snapshot.index ? this.snapshot.term : this.at(index)?.term
  }

  hashAt(index: number): string | undefined {
    return index === this.snapshot.index ? this.snapshot.hash : this.at(index)?.hash
  }

  /** Returns entries from `first` to `last`, both included, at most `count`. */
  slice(first: number, last: number, count = Infinity): readonly Entry[] {
    const from = first - this.snapshot.index - 1
    return this.entries.slice(from, Math.min(last - this.snapshot.index, from + count))
  }

  /** Whether a log with this end is at least as recent as this one (Raft §5.4.1). */
  isCurrent(lastIndex: number, lastTerm: number): boolean {
    return lastTerm > this.lastTerm || (lastTerm === this.lastTerm && lastIndex >= this.lastIndex)
  }

  append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entries.push(entry)
      const configuration = entry.kind === VOTERS ? decodeConfiguration(entry.body) : undefined
      if (configuration !== undefined) this.configurations.push({ index: this.lastIndex, configuration })
    }
  }

  /** Removes the entries from this index on. */
  cut(index: number): void {
    this.entries.length = Math.max(0, index - this.snapshot.index - 1)
    this.configurations = this.configurations.filter((placed) => placed === this.configurations[0] || placed.index < index)
  }

  /** The configuration in force at an index. */
  configurationAt(index: number): Configuration {
    return (this.configurations.findLast((placed) => placed.index <= index) ?? this.latest).configuration
  }

  /**
   * Replaces the entries up to the index of a snapshot. Later entries stay if they continue the
   * snapshot (Raft §7).
   */
  install(snapshot: Snapshot): void {
    const isContinued = this.hashAt(snapshot.index) === snapshot.hash
    this.entries = isContinued ? this.entries.slice(snapshot.index - this.snapshot.index) : []
    const later = this.configurations.filter(({ index }) => isContinued && index > snapshot.index)
    this.snapshot = snapshot
    this.configurations = [snapshot, ...later]
  }
}
