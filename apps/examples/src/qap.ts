// The quadratic assignment problem by branch and bound (MW paper, §4; docs/examples/qap.md). A
// driver starts the most promising branches first. A task computes the bounds of branches, or
// searches them. The instance is a blob as in QAPLIB: size, distances, flows.
import { driver, min, shared, task, type BlobReference } from '@jel/compute/program'

/** The places of the first facilities. `cost` is a lower bound of all layouts that begin so. */
type Part = { readonly data: BlobReference; readonly places: readonly number[]; readonly cost: number }
/** The number of facilities that are placed in tasks of their own. One task searches the rest. */
const PLACED = 3
const best = shared(min((layout: Part) => layout.cost))

export const qap = driver({
  start: ({ data }: { data: BlobReference }) => ({ state: 0, tasks: [[relax, { data, places: [], cost: 0 }]] }),
  done: (count, _: Part, parts: readonly Part[]) => ({ state: count + 1, tasks: parts.map((part) => [relax, part] as const) }),
  order: (part: Part) => part.cost,
  result: (tasks) => ({ cost: best.value?.cost, places: best.value?.places, tasks }),
})

/** If a part can beat the best layout, returns its branches; deep in the tree searches them. */
export const relax = task(async (part: Part, { use }): Promise<readonly Part[]> => {
  const instance = await use(part.data, parse)
  if (part.places.length < Math.min(PLACED, instance.all.length)) return branches(instance, part)
  search(instance, part)
  return []
})

function search(instance: Instance, part: Part): void {
  if (part.places.length === instance.all.length) best.offer(part)
  else for (const child of branches(instance, part)) search(instance, child)
}

function branches(instance: Instance, part: Part): Part[] {
  const next = part.cost < (best.value?.cost ?? Infinity) ? without(instance.all, part.places) : []
  const children = next.map((place) => [...part.places, place])
  return children.map((places) => ({ ...part, places, cost: bound(instance, places) })).sort((a, b) => a.cost - b.cost)
}

// The Gilmore-Lawler bound. `costs`: the least cost of each facility at each place, if its largest
// flows get the shortest ways. Adds the minimum of each row, subtracts it from the row, and adds
// the minimum of each column. Flows and distances are symmetric.
function bound({ all, distance, flow }: Instance, places: readonly number[]): number {
  const [open, free] = [all.slice(places.length), without(all, places)]
  const flows = open.map((one) => sorted(without(open, [one]).map((other) => flow(one, other))))
  const ways = free.map((one) => sorted(without(free, [one]).map((other) => distance(one, other))).reverse())
  const placed = (one: number, at: number): number => places.reduce((sum, place, other) => sum + flow(one, other) * distance(at, place), 0)
  const costs = flows.map((most, i) => ways.map((least, j) => product(most, least) + 2 * placed(open[i] as number, free[j] as number)))
  const rows = costs.map((row) => Math.min(...row))
  const columns = ways.map((_, j) => Math.min(...costs.map((row, i) => (row[j] as number) - (rows[i] as number))))
  return [...places.map((place, one) => placed(one, place)), ...rows, ...columns].reduce((sum, each) => sum + each, 0)
}
const without = (all: readonly number[], some: readonly number[]): number[] => all.filter((each) => !some.includes(each))
const sorted = (values: number[]): number[] => values.sort((a, b) => a - b)
const product = (a: number[], b: number[]): number => a.reduce((sum, each, k) => sum + each * (b[k] as number), 0)

type Instance = ReturnType<typeof parse>
function parse(bytes: Uint8Array) {
  const [size = 0, ...numbers] = new TextDecoder().decode(bytes).trim().split(/\s+/u).map(Number)
  const matrix = (begin: number) => (row: number, column: number) => numbers[begin + row * size + column] as number
  return { all: Array.from({ length: size }, (_, k) => k), distance: matrix(0), flow: matrix(size * size) }
}
