import { lives, type Actor } from './actor.ts'

/** In a pool of two, one is not taken for cut off: so many others must be out of its sight. */
const few = 2

/** Marks who is the only one left on its side, while others whom it holds for members may live where it can't look. */
export function findAlone(actors: readonly Actor[]): void {
  const last = new Map<number, Actor | undefined>()
  for (const actor of actors) {
    actor.alone = false
    if (lives(actor) && !actor.silent) last.set(actor.side, last.has(actor.side) ? undefined : actor)
  }
  for (const actor of last.values()) if (actor !== undefined) actor.alone = isCutOff(actor, actors)
}

/** Judged by its own view: it does not wait for those whom it buried while it had company. */
function isCutOff(actor: Actor, actors: readonly Actor[]): boolean {
  const hidden = new Set(actors.filter((other) => other !== actor && !refuses(other, actor)).map(({ node }) => node.id))
  return hidden.size >= few && actor.node.protocol.members().filter(({ id }) => hidden.has(id)).length >= few
}

/** Once its process is gone, its kernel says so. */
function refuses({ silent, side, node }: Actor, to: Actor): boolean {
  return !silent && side === to.side && node.endpoint.dialableFrom(to.node.endpoint)
}
