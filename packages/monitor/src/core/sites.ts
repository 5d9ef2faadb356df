/** A member with its location, in levels from fine to coarse: `node7@rack2@delft@nl`. */
interface Located {
  readonly id: string
  readonly location: string
}

/** Returns the site of a member: the coarsest level of its location. */
export function siteOf({ location }: Pick<Located, 'location'>): string {
  return location.slice(location.lastIndexOf('@') + 1)
}

/**
 * Returns the member that aggregates for each site: the one with the highest hash of site and id
 * (rendezvous hashing). So all members with the same view choose the same one, and if it goes only
 * its own site moves.
 *
 * @param mayServe whether a member is a candidate; one that failed is none for a while
 */
export function aggregators<Member extends Located>(
  members: readonly Member[],
  mayServe: (member: Member) => boolean,
): ReadonlyMap<string, Member> {
  const best = new Map<string, { readonly member: Member; readonly hash: number }>()
  for (const member of members) {
    if (!mayServe(member)) continue
    const site = siteOf(member)
    const hash = hashOf(`${site}/${member.id}`)
    const known = best.get(site)
    if (known === undefined || hash > known.hash || (hash === known.hash && member.id < known.member.id)) best.set(site, { member, hash })
  }
  return new Map([...best].map(([site, { member }]) => [site, member]))
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0
  return hash
}
