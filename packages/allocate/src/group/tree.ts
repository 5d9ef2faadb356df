/** With at most this number of sites the first rank of each site is a child of rank 0. A guess. */
const MAX_FLAT = 16

/** The neighbours of a rank in the tree of the collective calls. */
export interface Neighbours {
  /** undefined: rank 0 */
  readonly parent: number | undefined
  /** In the order of their ranks. The subtree of each child consists of successive ranks. */
  readonly children: readonly number[]
}

/**
 * Returns the neighbours of a rank in the tree of the collective calls. Rank 0 is the root. Within
 * a site the ranks are a binomial tree whose root is the first rank of the site. So the messages
 * between sites are one fewer than the sites (MPICH-G: collectives must know the topology).
 *
 * @param sites the site of each rank; ranks of a site are neighbours
 */
export function treeOf(sites: readonly string[], rank: number): Neighbours {
  const firsts = sites.flatMap((site, at) => (at === 0 || site !== sites[at - 1] ? [at] : []))
  const siteAt = firsts.findLastIndex((first) => first <= rank)
  const first = firsts[siteAt] as number
  const end = firsts[siteAt + 1] ?? sites.length
  const inside = binomial(rank - first, end - first)
  const children = inside.children.map((each) => each + first)
  if (rank !== first) return { parent: (inside.parent as number) + first, children }
  const across =
    firsts.length <= MAX_FLAT
      ? { parent: siteAt === 0 ? undefined : 0, children: siteAt === 0 ? firsts.map((_, at) => at).slice(1) : [] }
      : binomial(siteAt, firsts.length)
  return {
    parent: across.parent === undefined ? undefined : firsts[across.parent],
    children: [...children, ...across.children.map((each) => firsts[each] as number)],
  }
}

/**
 * Returns the neighbours of a number in a binomial tree over 0 to `size` - 1. The subtree of each
 * child consists of successive numbers.
 */
function binomial(place: number, size: number): Neighbours {
  const children: number[] = []
  let bit = 1
  for (; (place & bit) === 0 && bit < size; bit <<= 1) if (place + bit < size) children.push(place + bit)
  return { parent: place === 0 ? undefined : place & ~bit, children }
}
