/**
 * The owner of pins of bytes that tasks made at other members. Any member can send such bytes in
 * the name of any job, so they have a share of their own.
 */
export const TASKS = 'tasks'
export interface PinOptions {
  /**
   * The owner of the job. While this owner takes more than its share, its files make way for any
   * pinned file, also for its own. Default: this member's own owner, who may exceed its share.
   */
  readonly owner?: string
  /** Whether these files make way before other files of this owner. Default: false. */
  readonly isSpare?: boolean
}

/** Keeps pinned files where other processes see it. */
export interface PinLinks {
  /** Links a pinned file. The file may not be here yet. */
  link(hash: string): void
  unlink(hash: string): void
  close(): void
}

const NOBODY: ReadonlySet<string> = new Set()

/** Pins of files that unfinished jobs need, and the order in which they make way. */
export class Pins {
  readonly #links: PinLinks | undefined
  /** The pin holders by hash. */
  readonly #holders = new Map<string, Set<string>>()
  /**
   * The owners of pin holders, the latest last. Holders of this member's own owner have no entry.
   */
  readonly #owners = new Map<string, string>()
  /** Holders whose files make way before other files of their owner, the oldest first. */
  readonly #spares = new Set<string>()

  /** @param links undefined: no other process uses the store */
  constructor(links?: PinLinks) {
    this.#links = links
  }

  /** Whether a holder pins the file. Default: any holder. */
  has(hash: string, by?: string): boolean {
    const holders = this.#holders.get(hash)
    return by === undefined ? holders !== undefined : holders?.has(by) === true
  }

  add(hash: string, by: string, { owner, isSpare = false }: PinOptions): void {
    const holders = this.#holders.get(hash)
    if (holders?.has(by) === true) return
    if (owner !== undefined) this.#owners.set(by, owner)
    if (isSpare) this.#spares.add(by)
    this.#holders.set(hash, (holders ?? new Set<string>()).add(by))
    this.link(hash)
  }

  /** Links a pinned file. The file may have come after its pin. */
  link(hash: string): void {
    this.#links?.link(hash)
  }

  /**
   * Removes the link of a removed file. The pins stay, and keep the file again if it comes back.
   */
  unlink(hash: string): void {
    this.#links?.unlink(hash)
  }

  release(hash: string, by: string): void {
    const holders = this.#holders.get(hash)
    if (holders?.delete(by) !== true || holders.size > 0) return
    this.#holders.delete(hash)
    this.unlink(hash)
  }

  /** Returns the files that only these holders pin. */
  heldOnlyBy(by: ReadonlySet<string>): string[] {
    return [...this.#holders].filter(([, holders]) => [...holders].every((each) => by.has(each))).map(([hash]) => hash)
  }

  /** Releases all pins of this holder. Returns the files that it held. */
  releaseAll(by: string): string[] {
    this.#owners.delete(by)
    this.#spares.delete(by)
    const held = [...this.#holders].filter(([, holders]) => holders.has(by)).map(([hash]) => hash)
    for (const hash of held) this.release(hash, by)
    return held
  }

  /** Releases all pins. The end of this process does the same. */
  close(): void {
    this.#holders.clear()
    this.#owners.clear()
    this.#spares.clear()
    this.#links?.close()
  }

  /**
   * Returns the holder that makes way for the newest file; undefined if none must.
   *
   * For a pinned file, the owner that takes most of the disk makes way if it takes more than its
   * share. Its oldest spare holder goes first, then its latest holder. This rule does not apply to
   * this member's own owner. While that owner takes more than half of the limit, its spare holders
   * make way, the oldest first. Files of that owner, and unpinned files that this member needs, may
   * evict more: next the bytes of tasks, then the rest of its spare holders.
   *
   * @param isNeeded whether this member needs the newest file although nobody pins it
   * @param sizes of the files on disk, by hash
   * @param limit maximum bytes on disk
   * @param without holders that count as gone
   */
  victim(
    newest: string,
    isNeeded: boolean,
    sizes: ReadonlyMap<string, number>,
    limit: number,
    without: ReadonlySet<string> = NOBODY,
  ): string | undefined {
    const holders = this.#holders.get(newest)
    if (holders === undefined && !isNeeded) return undefined
    const taken = this.#taken(sizes, without)
    const [most] = [...taken].filter(([owner]) => owner !== undefined).sort(([, a], [, b]) => b - a)
    if (holders !== undefined && most !== undefined && most[1] > limit / taken.size) {
      const by = this.#holdersOf(most[0]).filter((each) => !without.has(each))
      return by.find((each) => this.#spares.has(each)) ?? by.at(-1)
    }
    const spares = (taken.get(undefined) ?? 0) > limit / 2 ? this.#ownSpares() : []
    const isOwn = holders === undefined || [...holders].some((by) => !this.#owners.has(by))
    const all = isOwn ? [...spares, ...this.#holdersOf(TASKS), ...this.#ownSpares()] : spares
    return all.find((by) => holders?.has(by) !== true && !without.has(by))
  }

  /** Returns the bytes that each owner takes. This member's owner is undefined. */
  #taken(sizes: ReadonlyMap<string, number>, without: ReadonlySet<string>): Map<string | undefined, number> {
    const taken = new Map<string | undefined, number>()
    for (const [hash, holders] of this.#holders) {
      const size = sizes.get(hash)
      // A pin of a file that is not here takes nothing.
      if (size === undefined) continue
      const present = [...holders].filter((by) => !without.has(by))
      for (const owner of new Set(present.map((by) => this.#owners.get(by)))) taken.set(owner, (taken.get(owner) ?? 0) + size)
    }
    return taken
  }

  /** Returns the spare holders of this member's owner, the oldest first. */
  #ownSpares(): string[] {
    return [...this.#spares].filter((by) => !this.#owners.has(by))
  }

  /** Returns the holders of an owner, the latest last. */
  #holdersOf(owner: string | undefined): string[] {
    return [...this.#owners].flatMap(([by, each]) => (each === owner ? [by] : []))
  }
}
