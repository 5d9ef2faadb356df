import { lives, type Actor } from './actor.ts'

/**
 * This many others must be out of a node's sight before it counts as cut off, so that it never does
 * in a pool of two.
 */
const few = 2

/**
 * Marks each node that is the last one on its side, while members of its view may live where it
 * can't look.
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
 * Judges by the node's own view: it does not wait for members that it pronounced dead while it had
 * company.
 */
function isCutOff(actor: Actor, actors: readonly Actor[]): boolean {
  const hidden = new Set(actors.filter((other) => other !== actor && !refuses(other, actor)).map(({ node }) => node.id))
  return hidden.size >= few && actor.node.protocol.members().filter(({ id }) => hidden.has(id)).length >= few
}

/**
 * Returns true if `to` could dial it, so that the kernel would refuse the dial once the process is
 * gone.
 */
function refuses({ silent, side, node }: Actor, to: Actor): boolean {
  return !silent && side === to.side && node.endpoint.dialableFrom(to.node.endpoint)
}
