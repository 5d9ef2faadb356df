import { isWithin, siteOf } from '@jel/protocol'

/** A member with its location. */
interface Located {
  readonly id: string
  readonly location: string
}

/**
 * Returns the member that aggregates for each site: the member with the highest hash of site and id
 * (rendezvous hashing). So all members with the same view choose the same one. The end of a member
 * changes the choice of its own site only.
 *
 * @param mayServe whether a member is a candidate; a member that failed is no candidate for a while
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

/** Returns the member with the highest hash of a text and its id. */
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
 * Returns the manager of a location: one of the members there. All members with the same view
 * compute the same one (rendezvous hashing), and the next one after its end.
 *
 * @param location the last levels of a location; empty: the whole pool
 * @returns undefined if no member is at this location
 */
export function managerOf<Member extends Located>(members: readonly Member[], location: string): Member | undefined {
  const there = members.filter((each) => location === '' || isWithin(each, location))
  return greatest(location, there)
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93) >>> 0
  return hash
}
