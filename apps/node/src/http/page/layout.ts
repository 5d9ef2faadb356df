import { naturalOrder } from '../../model/order.ts'

/**
 * Places members in the picture around one circle of radius 1. The members of a site are side by
 * side, as in Figure 9 of the JEL paper.
 */

export interface Place {
  readonly x: number
  readonly y: number
}

export interface Layout {
  readonly places: ReadonlyMap<string, Place>
  /** The names of the sites, in their order around the circle. */
  readonly sites: readonly string[]
  /** The distance between neighbours on the circle. */
  readonly spacing: number
}

/**
 * Maximum number of members in one row around the circle. More members need several concentric
 * rows. Guess: more members in a row are hard to distinguish.
 */
const ROW = 180
/** The depth of all rows together. */
const DEPTH = 0.3

export function layOut(members: readonly { readonly id: string; readonly site: string; readonly location: string }[]): Layout {
  const ordered = members
    .map((member) => ({ ...member, key: `${member.site}\n${member.location}\n${member.id}` }))
    .sort((one, other) => naturalOrder(one.site, other.site) || naturalOrder(one.key, other.key))
  const sites = [...new Set(ordered.map(({ site }) => site))]
  // A gap of at least one place separates sites.
  const gap = sites.length < 2 ? 0 : Math.max(1, ordered.length / 60)
  const total = ordered.length + gap * sites.length
  const rows = Math.ceil(ordered.length / ROW)
  const places = new Map<string, Place>()
  for (const [i, { id, site }] of ordered.entries()) {
    const angle = ((i + gap * sites.indexOf(site)) / total) * 2 * Math.PI - Math.PI / 2
    const radius = 1 - ((i % rows) / rows) * DEPTH
    places.set(id, { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius })
  }
  return { places, sites, spacing: (2 * Math.PI * rows) / Math.max(total, 6) }
}
