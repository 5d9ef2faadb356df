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

/** A holder that makes way. */
export interface Victim {
  readonly by: string
  /** The files that no holder pins once this victim and the earlier ones are gone. */
  readonly released: readonly string[]
}

/** Pins of files that unfinished jobs need, and the order in which they make way. */
export class Pins {
  readonly #links: PinLinks | undefined
  /** The pin holders by hash. */
  readonly #holders = new Map<string, Set<string>>()
  /** The pinned files by holder. */
  readonly #held = new Map<string, Set<string>>()
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
    this.#held.set(by, (this.#held.get(by) ?? new Set<string>()).add(hash))
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
    const held = this.#held.get(by)
    if (held?.delete(hash) !== true) return
    if (held.size === 0) this.#held.delete(by)
    const holders = this.#holders.get(hash)
    if (holders?.delete(by) !== true || holders.size > 0) return
    this.#holders.delete(hash)
    this.unlink(hash)
  }

  /** Returns the holders of a file. */
  of(hash: string): readonly string[] {
    return [...(this.#holders.get(hash) ?? [])]
  }

  /** Releases all pins of this holder. Returns the files that it held. */
  releaseAll(by: string): string[] {
    this.#owners.delete(by)
    this.#spares.delete(by)
    const held = [...(this.#held.get(by) ?? [])]
    for (const hash of held) this.release(hash, by)
    return held
  }

  /** Releases all pins. The end of this process does the same. */
  close(): void {
    this.#holders.clear()
    this.#held.clear()
    this.#owners.clear()
    this.#spares.clear()
    this.#links?.close()
  }

  /** Returns the first of the {@link victims}; undefined if there is none. */
  victim(newest: string, isNeeded: boolean, sizes: ReadonlyMap<string, number>, limit: number): string | undefined {
    for (const { by } of this.victims(newest, isNeeded, sizes, limit)) return by
    return undefined
  }

  /**
   * Yields the holders that make way for the newest file, one after another. Each counts as gone
   * for the next. Ends when nobody pins the newest file any more.
   *
   * For a pinned file, the owner that takes most of the disk makes way if it takes more than its
   * share. Its oldest spare holder goes first, then its latest holder. This rule does not apply to
   * this member's own owner. While that owner takes more than half of the limit, its spare holders
   * make way, the oldest first. A file of that owner, or an unpinned file that this member needs,
   * may evict more. Then the bytes of tasks go next, and after them the other spare holders of that
   * owner.
   *
   * @param isNeeded whether this member needs the newest file although nobody pins it
   * @param sizes of the files on disk, by hash
   * @param limit maximum bytes on disk
   */
  *victims(newest: string, isNeeded: boolean, sizes: ReadonlyMap<string, number>, limit: number): Generator<Victim, void> {
    const needing = new Set(this.of(newest))
    const isPinned = needing.size > 0
    if (!isPinned && !isNeeded) return
    const isOwn = !isPinned || [...needing].some((by) => !this.#owners.has(by))
    const left = new PinsLeft(this.#holders, (by) => this.#owners.get(by), sizes)
    const { taken } = left
    const spares = this.#ownSpares()
      .filter((by) => !needing.has(by))
      .reverse()
    const tasks = this.#holdersOf(TASKS)
      .filter((by) => !needing.has(by))
      .reverse()
    const queues = new Map<string, string[]>()
    for (;;) {
      const most = isPinned ? left.most() : undefined
      if (most !== undefined && !queues.has(most.owner)) queues.set(most.owner, this.#leavingOf(most.owner))
      const by =
        most !== undefined && most.bytes > limit / taken.size
          ? left.next(queues.get(most.owner) as string[])
          : (((taken.get(undefined) ?? 0) > limit / 2 ? left.next(spares) : undefined) ??
            (isOwn ? (left.next(tasks) ?? left.next(spares)) : undefined))
      if (by === undefined) return
      const released = left.release(by, this.#held.get(by) ?? [])
      yield { by, released }
      if (released.includes(newest)) return
    }
  }

  /** Returns the spare holders of this member's owner, the oldest first. */
  #ownSpares(): string[] {
    return [...this.#spares].filter((by) => !this.#owners.has(by))
  }

  /** Returns the holders of an owner, the latest last. */
  #holdersOf(owner: string | undefined): string[] {
    return [...this.#owners].flatMap(([by, each]) => (each === owner ? [by] : []))
  }

  /** Returns the holders of an owner in the order in which they make way, the first one last. */
  #leavingOf(owner: string): string[] {
    const all = this.#holdersOf(owner)
    return [...all.filter((by) => !this.#spares.has(by)), ...all.filter((by) => this.#spares.has(by)).reverse()]
  }
}

/** The pins that are left while holders make way. It counts them once, and then each change. */
class PinsLeft {
  readonly #ownerOf: (by: string) => string | undefined
  readonly #sizes: ReadonlyMap<string, number>
  readonly #gone = new Set<string>()
  /** The number of holders by hash. */
  readonly #holders = new Map<string, number>()
  /**
   * The number of holders by owner and hash. A pin of a file that is not here takes nothing. This
   * member's owner is undefined.
   */
  readonly #files = new Map<string | undefined, Map<string, number>>()
  readonly #taken = new Map<string | undefined, number>()

  constructor(
    holders: ReadonlyMap<string, ReadonlySet<string>>,
    ownerOf: (by: string) => string | undefined,
    sizes: ReadonlyMap<string, number>,
  ) {
    this.#ownerOf = ownerOf
    this.#sizes = sizes
    for (const [hash, all] of holders) {
      this.#holders.set(hash, all.size)
      if (sizes.has(hash)) for (const by of all) this.#count(hash, ownerOf(by), 1)
    }
  }

  /** The bytes that each owner takes. Without owners that take none. */
  get taken(): ReadonlyMap<string | undefined, number> {
    return this.#taken
  }

  /** Returns the owner that takes most, without this member's owner. */
  most(): { readonly owner: string; readonly bytes: number } | undefined {
    let most: { readonly owner: string; readonly bytes: number } | undefined
    for (const [owner, bytes] of this.#taken) if (owner !== undefined && bytes > (most?.bytes ?? 0)) most = { owner, bytes }
    return most
  }

  /** Takes from the queue the last holder that is not gone. */
  next(queue: string[]): string | undefined {
    for (let by = queue.pop(); by !== undefined; by = queue.pop()) if (!this.#gone.has(by)) return by
    return undefined
  }

  /** Returns the files that no holder pins any more. */
  release(by: string, held: Iterable<string>): string[] {
    this.#gone.add(by)
    const owner = this.#ownerOf(by)
    const released: string[] = []
    for (const hash of held) {
      const left = (this.#holders.get(hash) ?? 0) - 1
      this.#holders.set(hash, left)
      if (left === 0) released.push(hash)
      if (this.#sizes.has(hash)) this.#count(hash, owner, -1)
    }
    return released
  }

  #count(hash: string, owner: string | undefined, more: 1 | -1): void {
    const files = this.#files.get(owner) ?? new Map<string, number>()
    const before = files.get(hash) ?? 0
    const size = this.#sizes.get(hash) ?? 0
    if (before + more > 0) files.set(hash, before + more)
    else files.delete(hash)
    if (before === 0 || before + more === 0) this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + more * size)
    this.#files.set(owner, files)
    if (files.size === 0) this.#taken.delete(owner)
  }
}
