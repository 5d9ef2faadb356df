/** One end of a path, with the properties that decide who reaches it. */
export interface PathEnd {
  /** Its position in the order of starting. */
  readonly index: number
  /** The machine, or host, that it runs on. */
  readonly machine: unknown
  /**
   * True if the cable of its machine is pulled. Then no packet passes, and no host refuses one.
   * Processes of one machine still reach each other.
   */
  readonly silent: boolean
  /** Ends on different sides of a partition don't reach each other. */
  readonly side: number
  dialableFrom(other: PathEnd): boolean
}

/** The effect of a cut on packets: they vanish, or a firewall answers them with RST. */
export type CutKind = 'drop' | 'reject'

/** A direction of a connection. Its packets may pass a relay. */
interface Way {
  readonly from: PathEnd
  readonly to: PathEnd
  readonly connection: { readonly relay: (PathEnd & { readonly listening: boolean; readonly awake: boolean }) | undefined }
}

/**
 * Decides which packets get through. It knows pulled cables, the sides of a partition, and cuts of
 * single paths in one direction.
 */
export class Reachability {
  /** For each path the number of its cuts of each kind. Cuts may overlap. */
  readonly #cuts = new Map<number, { drop: number; reject: number }>()

  /** Returns true if a packet from one end gets to the other now. */
  reaches(from: PathEnd, to: PathEnd): boolean {
    if (!hasWire(from, to) || from.side !== to.side) return false
    return this.#cuts.size === 0 || !this.#cuts.has(cutKey(from, to))
  }

  /** Returns what happens to a packet that goes this way now. */
  passage({ from, to, connection: { relay } }: Way): 'open' | CutKind {
    if (relay === undefined) return this.#leg(from, to)
    const first = this.#leg(from, relay)
    if (first !== 'open') return first
    if (!relay.listening) return 'reject'
    return relay.awake ? this.#leg(relay, to) : 'drop'
  }

  #leg(from: PathEnd, to: PathEnd): 'open' | CutKind {
    return this.reaches(from, to) ? 'open' : this.rejects(from, to) ? 'reject' : 'drop'
  }

  /** Returns true if packets get through both ways, as a handshake needs. */
  joins(a: PathEnd, b: PathEnd, relay?: PathEnd): boolean {
    if (relay !== undefined) return this.joins(a, relay) && this.joins(relay, b)
    return this.reaches(a, b) && this.reaches(b, a)
  }

  /** Returns true if a firewall answers packets from one end to the other with RST. */
  rejects(from: PathEnd, to: PathEnd): boolean {
    if (this.#cuts.size === 0 || !hasWire(from, to) || from.side !== to.side) return false
    const cut = this.#cuts.get(cutKey(from, to))
    return cut?.drop === 0
  }

  isCut(from: PathEnd, to: PathEnd): boolean {
    return this.#cuts.has(cutKey(from, to))
  }

  cut(from: PathEnd, to: PathEnd, kind: CutKind): void {
    const key = cutKey(from, to)
    const cut = this.#cuts.get(key) ?? { drop: 0, reject: 0 }
    cut[kind] += 1
    this.#cuts.set(key, cut)
  }

  /** Ends one cut of that kind. */
  mend(from: PathEnd, to: PathEnd, kind: CutKind): void {
    const key = cutKey(from, to)
    const cut = this.#cuts.get(key)
    if (cut === undefined) return
    cut[kind] = Math.max(0, cut[kind] - 1)
    if (cut.drop + cut.reject === 0) this.#cuts.delete(key)
  }

  mendAll(): void {
    this.#cuts.clear()
  }
}

function hasWire(from: PathEnd, to: PathEnd): boolean {
  if (!from.silent && !to.silent) return true
  return from.silent && to.silent && from.machine === to.machine
}

function cutKey(from: PathEnd, to: PathEnd): number {
  return from.index * 2 ** 24 + to.index
}
