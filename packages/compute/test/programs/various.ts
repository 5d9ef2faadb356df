import { task } from '@jel/compute/program'

interface Part {
  readonly n: number
  readonly columns: number
  readonly left: number
  readonly right: number
  readonly row: number
}

function below({ n, columns, left, right, row }: Part): Part[] {
  const parts: Part[] = []
  for (let free = ~(columns | left | right) & ((1 << n) - 1); free !== 0; free &= free - 1) {
    const bit = free & -free
    parts.push({ n, columns: columns | bit, left: (left | bit) << 1, right: (right | bit) >> 1, row: row + 1 })
  }
  return parts
}

function count(part: Part): number {
  return part.row === part.n ? 1 : below(part).reduce((sum, each) => sum + count(each), 0)
}

/** Returns the number of ways to place n queens. */
export const queens = task(async (given: Part | number, { run }): Promise<number> => {
  const part = typeof given === 'number' ? { n: given, columns: 0, left: 0, right: 0, row: 0 } : given
  if (part.row >= 3) return count(part)
  const counts = await Promise.all(below(part).map((child) => run(queens, child)))
  return counts.reduce((sum, each) => sum + each, 0)
})

/** Runs tasks that keep a worker busy, and returns the sum of their numbers. */
export const flat = task(async ({ tasks, ms }: { tasks: number; ms: number }, { run }) => {
  const values = await Promise.all(Array.from({ length: tasks }, (_, number) => run(busy, { number, ms })))
  return values.reduce((sum, each) => sum + each, 0)
})

/** Keeps a worker at work. It takes little processor time: tests run beside each other. */
export const busy = task(async ({ number, ms }: { number: number; ms: number }) => {
  for (const end = performance.now() + ms; performance.now() < end;) await new Promise((resolve) => setTimeout(resolve, 1))
  return number
})

export const sleeps = task(async (ms: number) => {
  await new Promise((resolve) => setTimeout(resolve, ms))
  return 'rested'
})

export const throws = task(() => {
  throw new RangeError('no such luck')
})

export const passesOn = task(async (_: unknown, { run }) => await run(throws, undefined))

export const catches = task(async (_: unknown, { run }) => {
  try {
    return await run(throws, undefined)
  } catch (error) {
    return `caught: ${(error as Error).message}`
  }
})

export const givesFunction = task(() => () => 1)
export const givesMuch = task(() => new Uint8Array(17_000_000))
export const givesPromise = task(() => ({ later: Promise.resolve(1) }))

export const never = task(() => {
  for (;;);
})

export const hoards = task(() => {
  const hoard: number[][] = []
  for (;;) hoard.push(Array.from<number>({ length: 1_000_000 }).fill(0.5))
})

export const exits = task(() => process.exit(3))

export const wide = task(async (children: number, { run }) => {
  await Promise.all(Array.from({ length: children }, (_, number) => run(busy, { number, ms: 0 })))
})

const hidden = task(() => 1)
export const callsHidden = task(async (_: unknown, { run }) => run(hidden, undefined))

export const echo = task((value: unknown) => value)
export const chance = task((_: unknown, { random }) => [random(), random()])

/** Returns random numbers of two tasks, and the job's id. */
export const chances = task(async (_: unknown, { run, job }) => [(await Promise.all([run(chance, 1), run(chance, 2)])).flat(), job])

/** Makes a class of errors without the word `class`, as older packages do. */
export const inherits = task(() => {
  function OutOfRange(this: { message: string }): void {
    this.message = 'too far'
  }
  OutOfRange.prototype = new RangeError('none')
  OutOfRange.prototype.constructor = OutOfRange
  const error = new (OutOfRange as unknown as new () => Error)()
  return [error instanceof RangeError, error.constructor === OutOfRange, String(error)]
})
