import { lives, type Actor } from './actor.ts'

/**
 * A node counts as cut off only if at least this many other members are out of reach. So no node
 * counts as cut off in a pool of two.
 */
const few = 2

/**
 * Marks each node that is the last node on its side, if members of its view may live out of its
 * reach.
 */
export function findIsolated(actors: readonly Actor[]): void {
  const last = new Map<number, Actor | undefined>()
  for (const actor of actors) {
    actor.alone = false
    if (lives(actor) && !actor.silent) last.set(actor.side, last.has(actor.side) ? undefined : actor)
  }
  for (const actor of last.values()) if (actor !== undefined) actor.alone = isCutOff(actor, actors)
}

/**
 * Judges by the node's own view. Members that it pronounced dead while it was not the last node
 * don't count.
 */
function isCutOff(actor: Actor, actors: readonly Actor[]): boolean {
  const hidden = new Set(actors.filter((other) => other !== actor && !refuses(other, actor)).map(({ node }) => node.id))
  return hidden.size >= few && actor.node.protocol.members().filter(({ id }) => hidden.has(id)).length >= few
}

/**
 * Returns true if `to` can reach the host of the first actor. Then the kernel refuses a dial once
 * the process is gone.
 */
function refuses({ silent, side, node }: Actor, to: Actor): boolean {
  return !silent && side === to.side && node.endpoint.dialableFrom(to.node.endpoint)
}
