import { siteOf, type Pool } from '@jel/jel'
import { numberOf, ownerOf } from './place.ts'
import type { Layout } from './wanted.ts'

/** The locations of members, as this member knows them. */
export class PoolLayout implements Layout {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Orders places by the location from its last level to its first one, then by id. */
  inOrder(places: readonly string[]): string[] {
    const locations = new Map(this.#pool.members().map(({ id, location }) => [id, location.split('@').toReversed().join('@')]))
    const keyOf = (place: string): string => `${locations.get(ownerOf(place)) ?? ''}\n${ownerOf(place)}`
    const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
    return places.toSorted((a, b) => compare(keyOf(a), keyOf(b)) || numberOf(a) - numberOf(b))
  }

  sitesOf(places: readonly string[]): string[] {
    const sites = new Map(this.#pool.members().map((member) => [member.id, siteOf(member)]))
    return places.map((place) => sites.get(ownerOf(place)) ?? '')
  }
}
