import type { NodeId } from '@jel/protocol'
import { lives, type Actor } from './actor.ts'

/** Who wins an election in the eyes of most living nodes; undefined where nobody does. */
export function winnerOf(actors: readonly Actor[], election: string): NodeId | undefined {
  const votes = new Map<NodeId, number>()
  let best: NodeId | undefined
  for (const actor of actors) {
    const id = lives(actor) ? actor.node.protocol.reign(election)?.winner.id : undefined
    if (id === undefined) continue
    votes.set(id, (votes.get(id) ?? 0) + 1)
    if (best === undefined || (votes.get(id) ?? 0) > (votes.get(best) ?? 0)) best = id
  }
  return best
}
