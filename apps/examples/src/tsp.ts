// Travelling salesman by branch and bound (Javelin 2.0 §5; Satin). Each branch is a task. The best
// tour so far is a shared value that prunes the rest. The instance is burma14 of TSPLIB: latitude
// and longitude of towns, in degrees and minutes. The optimum is 3323.
import { min, shared, task } from '@jel/compute/program'

const towns = `16.47 96.10, 16.47 94.44, 20.09 92.54, 22.39 93.37, 25.23 97.24, 22.00 96.05, 20.47 97.02,
  17.20 96.29, 16.30 97.38, 14.05 98.12, 16.53 97.38, 21.52 95.59, 19.41 97.13, 20.09 94.55`
const places = towns.split(',').map((town) => town.trim().split(' ').map(Number).map(radians))
const all = [...places.keys()]
// A task with at most this many towns left searches alone. With 9 there are ten times as many
// tasks, and they take a third more processor time (measured).
const LEAF = 10

type Tour = { readonly cost: number; readonly order: readonly number[] }

const best = shared(min((tour: Tour) => tour.cost))

/** Finds the shortest round trip through all towns. */
export const search = task({ result: best }, async (given: Tour | undefined, { run }) => {
  const part = given ?? { cost: 0, order: [0] }
  if (all.length - part.order.length <= LEAF) solve(part)
  else await Promise.all(branches(part).map((child) => run(search, child)))
})

function solve(part: Tour): void {
  if (part.cost + bound(part) >= (best.value?.cost ?? Infinity)) return
  if (part.order.length < all.length) for (const child of branches(part)) solve(child)
  else best.offer({ cost: part.cost + distance(part.order.at(-1) as number, 0), order: part.order })
}

/** Returns the branches with the nearest towns first, so that a good tour is found early. */
function branches({ cost, order }: Tour): Tour[] {
  const open = all.filter((town) => !order.includes(town))
  const children = open.map((town) => ({ cost: cost + distance(order.at(-1) as number, town), order: [...order, town] }))
  return children.sort((a, b) => a.cost - b.cost)
}

/**
 * Returns a lower bound of the rest of the tour. The rest of the tour enters each remaining town
 * once, and then town 0. The edge to a town is at least as long as the town's shortest edge.
 */
function bound({ order }: Tour): number {
  const open = all.filter((town) => town === 0 || !order.includes(town))
  return open.reduce((sum, town) => sum + (shortest[town] as number), 0)
}

/** Converts a coordinate of TSPLIB's GEO format to radians. TSPLIB's π has six decimals. */
function radians(degrees: number): number {
  // oxlint-disable-next-line oxc/approx-constant
  return (3.141592 * (Math.trunc(degrees) + (5 * (degrees - Math.trunc(degrees))) / 3)) / 180
}

function measure([latA = 0, longA = 0]: readonly number[], [latB = 0, longB = 0]: readonly number[]): number {
  const [q1, q2, q3] = [Math.cos(longA - longB), Math.cos(latA - latB), Math.cos(latA + latB)]
  return Math.trunc(6378.388 * Math.acos(0.5 * ((1 + q1) * q2 - (1 - q1) * q3)) + 1)
}

const distances = places.map((a) => places.map((b) => measure(a, b)))
const distance = (a: number, b: number): number => distances[a]?.[b] as number
const shortest = all.map((town) => Math.min(...all.filter((other) => other !== town).map((other) => distance(town, other))))
