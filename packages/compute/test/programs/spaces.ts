import { driver, first, min, shared, space, task, union } from '@jel/compute/program'

const key = shared(first<number>())
/** Finds the number that this product hides. */
export const find = space({ limits: [[0, 2 ** 24]], piece: '20 ms', until: key }, ([range]) => {
  const [from, to] = range as readonly [number, number]
  for (let number = from; number < to; number++) if (Math.imul(number, 2_654_435_761) >>> 0 === 2659873166) key.offer(number)
})

export const sum = space<bigint>({ limits: [[0n, 300_000n]], piece: '5 ms', merge: (left, right) => left + right }, ([range]) => {
  const [from, to] = range as readonly [bigint, bigint]
  let total = 0n
  for (let number = from; number < to; number++) total += number
  return total
})

export const area = space<number>(
  {
    limits: [
      [0, 60],
      [0, 50],
    ],
    piece: '1 ms',
    merge: (left, right) => left + right,
  },
  (ranges) => ranges.reduce((product, [from, to]) => product * (Number(to) - Number(from)), 1),
)

const best = shared(min((found: { cost: number }) => found.cost))
export const search = task({ result: best }, async (depth: number, { run, path }) => {
  if (depth === 0) best.offer({ cost: Number.parseInt(path.slice(-8).replaceAll(/\D/gu, '') || '7', 10) })
  else await Promise.all([run(search, depth - 1), run(search, depth - 1)])
})

const seen = shared(union<number>())
export const collects = task({ result: seen }, async (children: number, { run }) => {
  if (children < 0) seen.offer(-children)
  else await Promise.all(Array.from({ length: children }, (_, number) => run(collects, -(number % 3) - 1)))
})

export const square = task((number: number) => number * number)
/** Computes squares of squares, in the order of the numbers. */
export const squares = driver({
  start: (count: number) => ({
    state: { sum: 0, results: 0 },
    tasks: Array.from({ length: count }, (_, number) => [square, number] as const),
  }),
  done: (state, input: number, value: number) => ({
    state: { sum: state.sum + value, results: state.results + 1 },
    tasks: input < 3 && input > 1 ? [[square, value] as const] : [],
  }),
  order: (number: number) => number,
  result: (state) => state,
})
