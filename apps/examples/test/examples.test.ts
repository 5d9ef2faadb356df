import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

async function run(program: string, fn: string, input?: unknown): Promise<unknown> {
  return (await grid.submit(join(import.meta.dirname, '../src', program), fn, input)).result
}

describe('examples', () => {
  it('tsp: the optimum of burma14', async () => {
    const tour = (await run('tsp.ts', 'search')) as { cost: number; order: number[] }
    expect(tour.cost).toBe(3323)
    expect(tour.order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, town) => town))
  })

  it('rc5: the key', async () => {
    expect(await run('rc5.ts', 'find')).toBe(0x2f1e3d)
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
