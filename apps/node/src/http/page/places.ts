import { FADES } from './changes.ts'
import { layOut, type Layout, type Place } from './layout.ts'
import type { Row } from './model.ts'

/**
 * The time of a move to a new place, ms. With more members and links than `MOVING_LIMIT` there is
 * no move. Guess: the eye can follow a move of this time.
 */
const MOVE = 500
export const MOVING_LIMIT = 3_000

/** The places of members as they are drawn. They move to the places of the layout. */
export class Places {
  layout: Layout = { places: new Map(), sites: [], spacing: 1 }
  /** The time at which the next gone member loses its place, on the clock of the node. */
  fadedAt = Infinity
  #from: ReadonlyMap<string, Place> = new Map()
  readonly #present = new Map<string, Place>()
  #movedAt = -Infinity

  /**
   * Lays the members out again. `now` is on the clock of the node. `links` is the number of links.
   */
  arrange(members: readonly Row[], links: number, now: number): void {
    // A member that is gone keeps its place until it has faded.
    const shown = members.filter(({ state, since }) => state === 'here' || now - since < FADES[state])
    this.fadedAt = Math.min(...shown.map(({ state, since }) => (state === 'here' ? Infinity : since + FADES[state])))
    this.layout = layOut(shown)
    this.#from = new Map(this.#present)
    this.#movedAt = shown.length + links > MOVING_LIMIT || this.#from.size === 0 ? -Infinity : performance.now()
  }

  isMoving(now: number): boolean {
    return now - this.#movedAt < MOVE
  }

  /** Moves all members, and removes members that are not `known` any more. */
  move(now: number, known: ReadonlyMap<string, unknown>): void {
    const share = Math.min(1, (now - this.#movedAt) / MOVE)
    const eased = 1 - (1 - share) ** 3
    for (const id of this.#present.keys()) if (!known.has(id)) this.#present.delete(id)
    for (const [id, { x, y }] of this.layout.places) {
      const from = this.#from.get(id)
      this.#present.set(id, from === undefined ? { x, y } : { x: from.x + (x - from.x) * eased, y: from.y + (y - from.y) * eased })
    }
  }

  /** The members with a place, including those that still fade. */
  get ids(): MapIterator<string> {
    return this.#present.keys()
  }

  /** Returns the place of a member as last moved, in a picture of this radius. */
  find(id: string, radius: number): Place | undefined {
    const place = this.#present.get(id)
    return place && { x: place.x * radius, y: place.y * radius }
  }

  /** Returns the member whose place is nearest, if it is nearer than `reach`. */
  nearest(x: number, y: number, reach: number, radius: number): string | undefined {
    let nearest: string | undefined
    let distance = reach
    for (const id of this.layout.places.keys()) {
      const place = this.find(id, radius)
      const away = place === undefined ? Infinity : Math.hypot(place.x - x, place.y - y)
      if (away < distance) [nearest, distance] = [id, away]
    }
    return nearest
  }
}
