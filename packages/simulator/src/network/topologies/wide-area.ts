/**
 * A synthetic wide area: towns scattered over a map of 20,000 by 10,000 km, with the delays of
 * light in fibre between them.
 */
import { createRandom } from '@jel/protocol'
import type { Topology } from '../site.ts'

/**
 * The size of the map in kilometres. The width is half of the equator. The height is the distance
 * from a pole to the equator.
 */
const width = 20_000
const height = 10_000

/**
 * The delay of light in glass, times 1.4 because cables don't run straight. Guess: usual for
 * measured routes.
 */
const msPerKilometre = 0.005 * 1.4

/** The delay of leaving a town and entering another town, ms each way. Guess. */
const access = 2

/** The delay within a town, ms. Guess. */
const local = 0.5

/**
 * Returns a map of towns. The same seed gives the same map. Throws RangeError for an impossible
 * number of sites.
 */
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
