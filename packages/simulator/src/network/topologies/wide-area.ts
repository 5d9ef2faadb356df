/**
 * A synthetic wide area: towns scattered over a map of 20,000 by 10,000 km, as far apart as light in fibre takes.
 */
import { createRandom } from '@jel/protocol'
import type { Topology } from '../site.ts'

/** Kilometres. Half of the equator, and from one polar circle to the other. */
const width = 20_000
const height = 10_000

/** Light in glass, and cables that don't run straight: 1.4 times as long as the crow flies. Guess: usual for measured routes. */
const msPerKilometre = 0.005 * 1.4

/** Leaving a town and entering another one, ms each way. Guess. */
const access = 2

/** Within a town, ms. Guess. */
const local = 0.5

/** The same seed gives the same map. Throws RangeError for a number of sites that there can't be. */
export function wideArea(sites = 12, seed = 1): Topology {
  if (!Number.isInteger(sites) || sites < 1 || sites > 1_000) throw new RangeError(`a wide area has 1 to 1,000 sites, not ${sites}`)
  const random = createRandom(seed)
  const towns = Array.from({ length: sites }, (_, i) => ({ name: `town ${i + 1}`, x: random() * width, y: random() * height }))
  return {
    name: `${sites} towns`,
    sites: towns.map(({ name }) => ({ name })),
    delays: towns.map((from) =>
      towns.map((to) => {
        const [dx, dy] = [from.x - to.x, from.y - to.y]
        return from === to ? local : access + Math.sqrt(dx * dx + dy * dy) * msPerKilometre
      }),
    ),
    jitter: 0.1,
  }
}
