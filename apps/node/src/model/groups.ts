import type { GroupJson, GroupMemberJson, LeasesJson } from '../events/events.ts'
import { counted } from '../events/quantity.ts'

const STATES: readonly GroupJson['state'][] = ['holding', 'locked', 'running']

/**
 * Returns the groups of a pool, as its members describe them. They are sorted by state: holding,
 * locked, running. A group whose starter did not answer is known by its ranks alone.
 */
export function groupsOf(members: readonly LeasesJson[]): GroupJson[] {
  const groups = new Map<string, GroupJson & { readonly members: GroupMemberJson[] }>()
  // A member knows who asked it for a rank. So a member that lies can only add itself to a group.
  const keyOf = (group: string, starter: string): string => `${group} ${starter}`
  for (const { member, starts = [] } of members)
    for (const { title, ...start } of starts)
      groups.set(keyOf(start.group, member), { ...start, program: title ?? start.program, starter: member, members: [] })
  for (const { member, ranks = [] } of members) {
    for (const { group, program, starter, state, rank, of, groups: before, leases } of ranks) {
      const key = keyOf(group, starter)
      const known = groups.get(key) ?? { group, program, starter, state: 'holding' as const, held: 0, waits: 0, members: [] }
      // If a group has two ranks at a member, the second waits behind the first. A group is not a
      // reason for its own wait.
      const waits = state === 'waits' ? { groups: before.filter((each) => each !== group), leases } : {}
      known.members.push({ member, state, ...(rank !== undefined && { rank }), ...(of !== undefined && { of }), ...waits })
      groups.set(key, known)
    }
  }
  return [...groups.values()]
    .map(completed)
    .sort((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state) || (one.group < other.group ? -1 : 1))
}

/** If the starter did not answer, only the answers of the members describe the group. */
function completed(group: GroupJson): GroupJson {
  const members = inOrder(group.members)
  if (group.count !== undefined) return { ...group, members }
  const waits = members.filter(({ state }) => state === 'waits').length
  const state = STATES.toReversed().find((each) => members.some((member) => member.state === each)) ?? 'holding'
  return { ...group, state, held: members.length - waits, waits, members }
}

/** Says how far a group is, and why it waits. */
export function groupText({ state, count, held, waits, refused = 0, ended = 0, members }: GroupJson): string {
  if (state === 'running') {
    const places = new Set(members.map(({ member }) => member)).size
    const on = places === 0 ? '' : ` on ${counted(places, 'member')}`
    return `running: ${counted(count ?? held, 'rank')}${on}${ended === 0 ? '' : `, ${ended} ended`}`
  }
  const parts = [
    count === undefined ? `${held} held` : `${held} of ${count} held`,
    waits === 0 ? '' : `${waits} ${waits === 1 ? 'waits' : 'wait'}`,
    refused === 0 ? '' : `${refused} ${refused === 1 ? 'refuses' : 'refuse'}`,
  ]
  return `${state}: ${parts.filter(Boolean).join(', ')}`
}

/**
 * Says what a member of a group does: its rank, or for which groups and leases it waits. `groups`
 * has the known groups by name.
 */
export function rankText({ state, rank, of, groups = [], leases = [] }: GroupMemberJson, known: ReadonlyMap<string, GroupJson>): string {
  const place = rank === undefined ? '' : `rank ${rank} of ${of ?? '?'}, `
  if (state !== 'waits') return `${place}${state}`
  const named = groups.map((group) => {
    const other = known.get(group)
    return other === undefined ? `group ${shortGroup(group)}` : `${other.program} ${shortGroup(group)} (${other.state})`
  })
  const all = [...named, ...leases.map((lease) => `lease ${lease}`)]
  return all.length === 0 ? 'waits' : `waits for ${all.join(', ')}`
}

/** Shortens the name of a group. */
export function shortGroup(group: string): string {
  return group.slice(0, 8)
}

function inOrder(members: readonly GroupMemberJson[]): GroupMemberJson[] {
  return members.toSorted((one, other) => (one.rank ?? Infinity) - (other.rank ?? Infinity) || (one.member < other.member ? -1 : 1))
}
