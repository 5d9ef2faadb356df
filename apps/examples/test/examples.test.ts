import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { computeLocal, type LocalGrid } from '@jel/compute'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const cache = mkdtempSync(join(tmpdir(), 'jel-examples-'))
let grid: LocalGrid

beforeAll(() => {
  grid = computeLocal({ workers: 2, cache })
})

afterAll(async () => {
  await grid.close()
  rmSync(cache, { recursive: true })
})

/** Before a merge smaller instances run. `CASES=all` runs the benchmarks' own ones as well. */
const isAll = process.env['CASES'] === 'all'

const sources = join(import.meta.dirname, '../src')
const instances = join(import.meta.dirname, '../data')

async function run(program: string, fn: string, input?: unknown): Promise<unknown> {
  return (await grid.submit(join(sources, program), fn, input)).result
}

/** Returns the size of a QAPLIB instance, and the cost function of its layouts. */
function layouts(text: string): { n: number; cost: (places: readonly number[]) => number } {
  const [n = 0, ...numbers] = text.trim().split(/\s+/u).map(Number)
  const pairs = Array.from({ length: n * n }, (_, pair) => [Math.floor(pair / n), pair % n] as const)
  const cost = (places: readonly number[]): number =>
    pairs.reduce((sum, [one, other]) => {
      const [from, to] = [places[one], places[other]] as [number, number]
      return sum + (numbers[n * n + one * n + other] as number) * (numbers[from * n + to] as number)
    }, 0)
  return { n, cost }
}

/** Returns the first `count` facilities and places as an instance of their own. */
function firstOf(count: number, text: string): string {
  const [n = 0, ...numbers] = text.trim().split(/\s+/u).map(Number)
  const matrix = (begin: number): number[] =>
    Array.from({ length: count }, (_, row) => numbers.slice(begin + row * n, begin + row * n + count)).flat()
  return [count, ...matrix(0), ...matrix(n * n)].join(' ')
}

async function findsTour(begin?: { readonly cost: number; readonly order: readonly number[] }): Promise<void> {
  const tour = (await run('tsp.ts', 'search', begin)) as { cost: number; order: number[] }
  expect(tour.cost).toBe(3323)
  expect(tour.order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, town) => town))
}

function permutations(values: readonly number[]): number[][] {
  return values.length === 0
    ? [[]]
    : values.flatMap((value) => permutations(values.filter((each) => each !== value)).map((rest) => [value, ...rest]))
}

describe('the commands on the pages', () => {
  it('run a program on this machine, and make a picture of its output', () => {
    const script = (name: string, args: readonly string[], input?: Buffer): Buffer =>
      execFileSync(process.execPath, [join(import.meta.dirname, '..', name), ...args], { env: { XDG_CACHE_HOME: cache }, input })
    const instance = join(cache, 'tiny.dat')
    writeFileSync(instance, '2 0 3 3 0 0 5 5 0')
    expect(JSON.parse(script('run.ts', ['qap', 'qap', '--blob', `data=${instance}`]).toString())).toMatchObject({ cost: 30 })
    const tile = { width: 3, height: 2, pixels: Buffer.of(1, 2, 3, 4, 5, 6).toString('base64') }
    const png = script('picture.ts', [], Buffer.from(JSON.stringify(tile)))
    expect(png.subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    const begin = png.indexOf('IDAT') + 4
    expect([...inflateSync(png.subarray(begin, begin + png.readUInt32BE(begin - 8)))]).toEqual([0, 1, 2, 3, 0, 4, 5, 6])
  })
})

describe('examples', () => {
  it.each(readdirSync(sources))('%s has at most 60 lines', (file) => {
    expect(readFileSync(join(sources, file), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(60)
  })

  it("qap: QAPLIB's own layout of nug12 gives QAPLIB's cost, so the matrices are parsed correctly", () => {
    const { cost } = layouts(readFileSync(join(instances, 'nug12.dat'), 'utf8'))
    const known = [12, 7, 9, 3, 4, 8, 11, 1, 5, 6, 10, 2]
    expect(cost(known.map((_, facility) => known.indexOf(facility + 1)))).toBe(578)
  })

  it.runIf(isAll)('qap: the optimum of nug12', async () => {
    const file = join(instances, 'nug12.dat')
    const { n, cost } = layouts(readFileSync(file, 'utf8'))
    const found = (await run('qap.ts', 'qap', { data: await grid.blob(file) })) as { cost: number; places: number[] }
    expect(found.cost).toBe(578)
    expect(cost(found.places)).toBe(578)
    expect(found.places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, place) => place))
  })

  it.each([2, 5, 8])('qap: the best of all layouts for the first %i of nug12', async (count) => {
    const text = firstOf(count, readFileSync(join(instances, 'nug12.dat'), 'utf8'))
    const { cost } = layouts(text)
    const least = Math.min(...permutations(Array.from({ length: count }, (_, place) => place)).map(cost))
    const data = await grid.blob(new TextEncoder().encode(text))
    expect(await run('qap.ts', 'qap', { data })).toMatchObject({ cost: least })
  })

  // TSPLIB's distances between the best tour's first towns are 153 and 376. From there the search
  // takes a twelfth of the time (measured).
  it('tsp: the optimum of burma14, from its first three towns', async () => {
    await findsTour({ cost: 153 + 376, order: [0, 1, 13] })
  })

  it.runIf(isAll)('tsp: the optimum of burma14', async () => {
    await findsTour()
  })

  it('rc5: the key', async () => {
    expect(await run('rc5.ts', 'find')).toBe(0x2f1e3d)
  })

  it('primes: the number of primes below 100,000', async () => {
    expect(await run('primes.ts', 'count', { threads: 7, below: 100_000 })).toBe(9592)
  })

  it('primes: the number of primes below small numbers', async () => {
    const counts = [0, 2, 3, 4].map(async (below) => await run('primes.ts', 'count', { threads: 2, below }))
    expect(await Promise.all(counts)).toEqual([0, 0, 1, 2])
  })

  it('primes: the 10,000th', async () => {
    expect(await run('primes.ts', 'nth', { threads: 4, count: 10_000 })).toBe(104_729)
  })

  it('queens: ten of them', async () => {
    expect(await run('queens.ts', 'queens', 10)).toBe(724)
  })

  it('mandelbrot: a picture, black in the middle and nowhere at its rim', async () => {
    const tile = (await run('mandelbrot.ts', 'picture')) as { width: number; height: number; pixels: Uint8Array }
    expect([tile.width, tile.height, tile.pixels.length]).toEqual([240, 160, 240 * 160])
    expect(tile.pixels[80 * 240 + 160]).toBe(0)
    expect(tile.pixels.subarray(0, 240).every((pixel) => pixel > 0)).toBe(true)
  })
})
