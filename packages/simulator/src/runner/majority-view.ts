import type { NodeId } from '@jel/protocol'
import { lives, type Actor } from './actor.ts'

/**
 * Returns the winner of an election in the eyes of most living nodes, undefined if there is none.
 */
export function winnerOf(actors: readonly Actor[], election: string): NodeId | undefined {
  return mostNamed(actors, ({ node }) => node.protocol.reign(election)?.winner.id)
}

/** Returns the node that keeps the root of a job, in the eyes of most living nodes. */
export function rootHolderOf(actors: readonly Actor[], job: string): NodeId | undefined {
  return mostNamed(actors, ({ rootHolder }) => rootHolder?.(job))
}

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
