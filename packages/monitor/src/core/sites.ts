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
  const candidates = Map.groupBy(
    members.filter((member) => mayServe(member)),
    (member) => siteOf(member),
  )
  return new Map([...candidates].map(([site, some]) => [site, greatest(site, some) as Member]))
}

/** Returns the member with the highest hash of a place and its id. */
function greatest<Member extends Located>(place: string, members: readonly Member[]): Member | undefined {
  let [best, most] = [undefined as Member | undefined, -1]
  for (const member of members) {
    const hash = hashOf(`${place}/${member.id}`)
    if (hash < most || (hash === most && best !== undefined && best.id < member.id)) continue
    ;[best, most] = [member, hash]
  }
  return best
}

/**
 * Returns the manager of a location: the member there that all members compute alike, as long as
 * they have the same view (rendezvous hashing). If it goes, all know the next one.
 *
 * @param location the end of a location, in levels; empty: the whole pool
 * @returns undefined if no member is there
 */
export function managerOf<Member extends Located>(members: readonly Member[], location: string): Member | undefined {
  const there = members.filter((each) => location === '' || `@${each.location}`.endsWith(`@${location}`))
  return greatest(location, there)
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0
  return hash
}
