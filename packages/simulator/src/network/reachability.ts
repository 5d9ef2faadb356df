import type { Endpoint } from './endpoint.ts'

/** Which packets get through: machines without a cable, sides of a partition, and single paths cut in one direction. */
export class Reachability {
  readonly #cuts = new Set<string>()

  /** True if a packet from one gets to the other now. */
  reaches(from: Endpoint, to: Endpoint): boolean {
    if (from.silent || to.silent || from.side !== to.side) return false
    return this.#cuts.size === 0 || !this.#cuts.has(cutKey(from, to))
  }

  /** True if packets get through both ways, as a handshake needs. */
  joins(a: Endpoint, b: Endpoint): boolean {
    return this.reaches(a, b) && this.reaches(b, a)
  }

  cut(from: Endpoint, to: Endpoint): void {
    this.#cuts.add(cutKey(from, to))
  }

  mend(from: Endpoint, to: Endpoint): void {
    this.#cuts.delete(cutKey(from, to))
  }

  mendAll(): void {
    this.#cuts.clear()
  }
}

function cutKey(from: Endpoint, to: Endpoint): string {
  return `${from.index}>${to.index}`
}
