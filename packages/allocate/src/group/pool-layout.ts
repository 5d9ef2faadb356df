import type { Pool } from '@jel/jel'
import { siteOf } from '@jel/monitor'
import type { RankMember } from './group.ts'
import { numberOf, ownerOf } from './place.ts'
import type { Sites } from './rank-effect.ts'
import type { Layout } from './wanted.ts'

/** The locations of members, as this member knows them. */
export class PoolLayout implements Layout {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** By location from coarse to fine, then by id. */
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

  /** All ranks must know the same sites: those that the starter has stated. */
  membersOf(places: readonly string[], stated: Sites): RankMember[] {
    const sites = stated ?? this.sitesOf(places)
    return places.map((place, at) => ({ id: ownerOf(place), place, site: sites[at] ?? '' }))
  }
}
