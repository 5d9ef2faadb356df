/** A link between two members. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** ms */
  readonly roundTrip: number | undefined
}

/** The links between the members of two sites. They are drawn as one line. */
interface Bundle {
  readonly sites: readonly [one: string, other: string]
  readonly links: number
}

/** The links as the picture draws them. */
export interface Lines {
  readonly singles: readonly Edge[]
  readonly bundles: readonly Bundle[]
}

/**
 * Bundles the links between two sites that are dense: more than half of their pairs of members have
 * a link, and there are more links than members. So a full mesh of large sites is drawn by site,
 * and a sparse pool, or one of a few members, link by link. `siteOf` returns the site of a present
 * member.
 */
export function bundle(edges: readonly Edge[], members: readonly string[], siteOf: (member: string) => string): Lines {
  const sizes = new Map<string, number>()
  for (const member of members) sizes.set(siteOf(member), (sizes.get(siteOf(member)) ?? 0) + 1)
  const singles: Edge[] = []
  const between = new Map<string, { readonly sites: Bundle['sites']; readonly edges: Edge[] }>()
  for (const edge of edges) {
    const [one, other] = [siteOf(edge.from), siteOf(edge.to)].sort() as [string, string]
    if (one === other) {
      singles.push(edge)
      continue
    }
    const key = `${one}\n${other}`
    const known = between.get(key)
    if (known === undefined) between.set(key, { sites: [one, other], edges: [edge] })
    else known.edges.push(edge)
  }
  const bundles: Bundle[] = []
  for (const { sites, edges: found } of between.values()) {
    const [one, other] = sites.map((site) => sizes.get(site) ?? 0) as [number, number]
    if (found.length > (one * other) / 2 && found.length > one + other) bundles.push({ sites, links: found.length })
    else for (const edge of found) singles.push(edge)
  }
  return { singles, bundles }
}

/** The width of the widest line, pixels. Guess: a wider one hides members. */
const WIDEST = 14

/**
 * Returns the width of a bundle, in pixels. It grows with the root of the number of links:
 * thousands fit.
 */
export function widthOf({ links }: Bundle): number {
  return Math.min(WIDEST, Math.sqrt(links))
}
