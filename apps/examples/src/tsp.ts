/**
 * Travelling salesman by branch and bound (Javelin 2.0 §5; Satin): each branch is a task, and the best tour so far a shared value, along which the rest is pruned.
 * The instance is burma14 of TSPLIB; its optimum is 3323.
 */
import { min, shared, task } from '@jel/compute/program'

const towns: readonly (readonly [number, number])[] = [
  [16.47, 96.1],
  [16.47, 94.44],
  [20.09, 92.54],
  [22.39, 93.37],
  [25.23, 97.24],
  [22.0, 96.05],
  [20.47, 97.02],
  [17.2, 96.29],
  [16.3, 97.38],
  [14.05, 98.12],
  [16.53, 97.38],
  [21.52, 95.59],
  [19.41, 97.13],
  [20.09, 94.55],
]
const all = [...towns.keys()]
/** Towns of a part that is searched in one task. */
const LEAF = 9

interface Tour {
  readonly cost: number
  readonly order: readonly number[]
}

const best = shared(min((tour: Tour) => tour.cost))

/** The shortest way through all towns and back. */
export const search = task({ result: best }, async (given: Tour | undefined, { run }) => {
  const part = given ?? { cost: 0, order: [0] }
  if (towns.length - part.order.length <= LEAF) solve(part)
  else await Promise.all(branches(part).map((child) => run(search, child)))
})

function solve(part: Tour): void {
  if (part.cost + bound(part) >= (best.value?.cost ?? Infinity)) return
  if (part.order.length < towns.length) for (const child of branches(part)) solve(child)
  else best.offer({ cost: part.cost + distance(part.order.at(-1) as number, 0), order: part.order })
}

/** Nearest towns first, so that a good tour is found early. */
function branches({ cost, order }: Tour): Tour[] {
  const last = order.at(-1) as number
  const open = all.filter((town) => !order.includes(town))
  return open
    .sort((a, b) => distance(last, a) - distance(last, b))
    .map((town) => ({ cost: cost + distance(last, town), order: [...order, town] }))
}

/** Each town that is left is entered over its shortest way at least, and so is the first one. */
function bound({ order }: Tour): number {
  const open = all.filter((town) => town === 0 || !order.includes(town))
  return open.reduce((sum, town) => sum + (shortest[town] as number), 0)
}

/** TSPLIB's GEO, where towns are degrees and minutes on a sphere, and π has six digits. */
function measure(a: number, b: number): number {
  const [[latA, longA], [latB, longB]] = [places[a], places[b]] as [Place, Place]
  const [q1, q2, q3] = [Math.cos(longA - longB), Math.cos(latA - latB), Math.cos(latA + latB)]
  return Math.trunc(6378.388 * Math.acos(0.5 * ((1 + q1) * q2 - (1 - q1) * q3)) + 1)
}

type Place = readonly [latitude: number, longitude: number]

function radians(degrees: number): number {
  // oxlint-disable-next-line oxc/approx-constant
  return (3.141592 * (Math.trunc(degrees) + (5 * (degrees - Math.trunc(degrees))) / 3)) / 180
}

const places: readonly Place[] = towns.map(([latitude, longitude]) => [radians(latitude), radians(longitude)])
const distances = all.map((a) => all.map((b) => measure(a, b)))

function distance(a: number, b: number): number {
  return distances[a]?.[b] as number
}

const shortest = all.map((town) => Math.min(...all.filter((other) => other !== town).map((other) => distance(town, other))))
