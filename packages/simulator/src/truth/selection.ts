import { pickSome, type NodeId } from '@jel/protocol'
import type { IntegerRange } from '../scenario/quantity.ts'
import type { Targets } from '../scenario/targets.ts'
import { lives, type Actor } from './actor.ts'

/** Returns the living nodes that match, in the order of their numbers. */
export function select(actors: readonly Actor[], targets: Targets, random: () => number): Actor[] {
  const { nodes, site, rack, machine, winner, root, nat, share, count } = targets
  const winnerId = winner === undefined ? undefined : mostNamed(actors, ({ node }) => node.protocol.reign(winner)?.winner.id)
  const rootId = root === undefined ? undefined : mostNamed(actors, ({ rootHolder }) => rootHolder?.(root))
  const meant = actors.filter(
    (actor) =>
      lives(actor) &&
      within(nodes, actor.number) &&
      (site === undefined || (actor.place.site !== undefined && site.includes(actor.place.site))) &&
      within(rack, actor.place.rack) &&
      within(machine, actor.place.machine) &&
      (nat === undefined || nat === actor.nat) &&
      (winner === undefined || actor.node.id === winnerId) &&
      (root === undefined || actor.node.id === rootId),
  )
  const some = Math.min(count ?? Infinity, share === undefined ? Infinity : shareOf(share, meant.length))
  if (some >= meant.length) return meant
  return pickSome(random, meant, some).sort((a, b) => a.number - b.number)
}

/** Rounds a share of nodes, but to at least one. */
function shareOf(share: number, of: number): number {
  return share > 0 ? Math.max(1, Math.round(share * of)) : 0
}

function within(ranges: readonly IntegerRange[] | undefined, number: number): boolean {
  return ranges === undefined || ranges.some(({ first, last }) => number >= first && number <= last)
}

/** Returns the node that most living nodes name, or undefined if they name none. */
function mostNamed(actors: readonly Actor[], nameOf: (actor: Actor) => NodeId | undefined): NodeId | undefined {
  const votes = new Map<NodeId, number>()
  let best: NodeId | undefined
  for (const actor of actors) {
    const id = lives(actor) ? nameOf(actor) : undefined
    if (id === undefined) continue
    votes.set(id, (votes.get(id) ?? 0) + 1)
    if (best === undefined || (votes.get(id) ?? 0) > (votes.get(best) ?? 0)) best = id
  }
  return best
}
