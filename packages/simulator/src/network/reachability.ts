import type { Endpoint } from './endpoint.ts'

/** What happens to packets on a path that is cut: they vanish, or a firewall answers them with RST. */
export type CutKind = 'drop' | 'reject'

/** Which packets get through: machines without a cable, sides of a partition, and single paths cut in one direction. */
export class Reachability {
  /** By path, how often it is cut which way: cuts may overlap. */
  readonly #cuts = new Map<number, { drop: number; reject: number }>()

  /** True if a packet from one gets to the other now. */
  reaches(from: Endpoint, to: Endpoint): boolean {
    if (from.silent || to.silent || from.side !== to.side) return false
    return this.#cuts.size === 0 || !this.#cuts.has(cutKey(from, to))
  }

  /** True if packets get through both ways, as a handshake needs. */
  joins(a: Endpoint, b: Endpoint): boolean {
    return this.reaches(a, b) && this.reaches(b, a)
  }

  /** True if a packet from one to the other is answered with RST on the way. */
  rejects(from: Endpoint, to: Endpoint): boolean {
    if (this.#cuts.size === 0 || from.silent || to.silent || from.side !== to.side) return false
    const cut = this.#cuts.get(cutKey(from, to))
    return cut?.drop === 0
  }

  isCut(from: Endpoint, to: Endpoint): boolean {
    return this.#cuts.has(cutKey(from, to))
  }

  cut(from: Endpoint, to: Endpoint, kind: CutKind): void {
    const key = cutKey(from, to)
    const cut = this.#cuts.get(key) ?? { drop: 0, reject: 0 }
    cut[kind] += 1
    this.#cuts.set(key, cut)
  }

  /** Ends one cut of that kind. */
  mend(from: Endpoint, to: Endpoint, kind: CutKind): void {
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

function cutKey(from: Endpoint, to: Endpoint): number {
  return from.index * 2 ** 24 + to.index
}
