/**
 * Jacobi2D of AppLeS on eight machines. The paper's figures of the machines are lost: speeds, loads
 * and links are assumed, and the order of the plans is tested, not their times.
 */
import { Forecaster } from '@jel/monitor'
import { describe, expect, it } from 'vitest'
import { divide, place, type Division, type Worker } from '../src/index.ts'

/** The time for a point of an idle machine, µs, and its site. */
const MACHINES = [
  { name: 'sparc2', point: 1.6, site: 'pcl', load: 0.25 },
  { name: 'sparc10', point: 0.8, site: 'pcl', load: 0.6 },
  { name: 'rs6000a', point: 0.5, site: 'pcl', load: 0.5 },
  { name: 'rs6000b', point: 0.5, site: 'pcl', load: 0.9 },
  { name: 'alpha1', point: 0.25, site: 'sdsc', load: 0.4 },
  { name: 'alpha2', point: 0.25, site: 'sdsc', load: 0.8 },
  { name: 'alpha3', point: 0.25, site: 'sdsc', load: 0.5 },
  { name: 'alpha4', point: 0.25, site: 'sdsc', load: 0.9 },
]
/** Bytes a µs within a site, between both, and to the old Sparc; µs of a message. */
const [NEAR, FAR, OLD, LATENCY] = [1.2, 0.2, 0.2, 8000]
const ALL = [...MACHINES.keys()]

/** A repeatable source of numbers from -0.5 to 0.5. */
function noise(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5
}

/** Returns the forecast of a level from 200 noisy values of it. */
function forecastOf(level: number, seed: number): number {
  const [forecaster, next] = [new Forecaster(), noise(seed)]
  for (let at = 0; at < 200; at++) forecaster.push(level * (1 + next() / 5))
  return forecaster.forecast?.value as number
}

/** The knowledge of a plan: the free share of each machine, and the bandwidth of each pair. */
interface World {
  readonly free: readonly number[]
  readonly width: (one: number, other: number) => number
}

function bandwidth(one: number, other: number): number {
  if (one === 0 || other === 0) return OLD
  return MACHINES[one]?.site === MACHINES[other]?.site ? NEAR : FAR
}
const actual: World = { free: MACHINES.map(({ load }) => load), width: bandwidth }
const widths = ALL.map((one) => ALL.map((other) => forecastOf(bandwidth(one, other), 10 + Math.min(one, other) * 8 + Math.max(one, other))))
const forecast: World = {
  free: MACHINES.map(({ load }, at) => forecastOf(load, at + 1)),
  width: (one, other) => widths[one]?.[other] as number,
}
const idle: World = { free: MACHINES.map(() => 1), width: () => Infinity }

interface Plan {
  /** The machines in the order of their strips. */
  readonly order: readonly number[]
  readonly areas: readonly number[]
}

/** Returns P_i and C_i of each strip: it exchanges its borders with its neighbours. */
function workersOf(order: readonly number[], size: number, { free, width }: World, most?: readonly number[]): Worker[] {
  return order.map((machine, at) => {
    const neighbours = [order[at - 1], order[at + 1]].filter((each) => each !== undefined)
    const fixed = neighbours.reduce((sum, other) => sum + LATENCY + (2 * 8 * size) / width(machine, other), 0)
    const { point } = MACHINES[machine] as (typeof MACHINES)[number]
    return {
      each: point / (free[machine] as number),
      fixed: width(machine, order[at + 1] ?? machine) === Infinity ? 0 : fixed,
      most: most?.[machine],
    }
  })
}

/** Orders strips so that the slowest border is as fast as possible. */
function ordered(machines: readonly number[], { width }: World): readonly number[] {
  const path = machines.slice(1).map((_, at) => [at, at + 1] as const)
  const placed = place(machines.length, machines.length, path, (one, other) => width(machines[one] as number, machines[other] as number))
  return (placed as NonNullable<typeof placed>).chosen.map((at) => machines[at] as number)
}

function plan(machines: readonly number[], size: number, world: World, most?: readonly number[]): (Plan & Division) | undefined {
  const order = ordered(machines, world)
  const division = divide(size * size, workersOf(order, size, world, most))
  return division && { ...division, order, areas: division.parts }
}

/** Returns the best plan over all sets of these machines. */
function selected(machines: readonly number[], size: number, world: World, most?: readonly number[]): Plan & Division {
  const sets = Array.from({ length: 2 ** machines.length - 1 }, (_, bits) =>
    machines.filter((_machine, at) => (((bits + 1) >> at) & 1) === 1),
  )
  const plans = sets.flatMap((set) => plan(set, size, world, most) ?? [])
  return plans.reduce((best, each) => (each.time < best.time ? each : best))
}

/** Returns the time of an iteration as it really is, s. */
function timeOf({ order, areas }: Plan, size: number): number {
  const workers = workersOf(order, size, actual)
  return Math.max(...workers.map(({ each, fixed }, at) => (areas[at] as number) * each + fixed)) / 1e6
}

describe('Jacobi2D', () => {
  it.each([1500, 2000, 2500, 3000])('of %i² is the faster the more a plan knows, and the fastest on selected machines', (size) => {
    const blocked = timeOf({ order: ALL, areas: ALL.map(() => (size * size) / 8) }, size)
    const atCompileTime = timeOf(plan(ALL, size, idle) as Plan, size)
    const overAll = timeOf(plan(ALL, size, forecast) as Plan, size)
    const overSelected = timeOf(selected(ALL, size, forecast), size)
    expect(blocked).toBeGreaterThan(1.2 * atCompileTime)
    expect(atCompileTime).toBeGreaterThan(1.2 * overAll)
    expect(overAll).toBeGreaterThan(overSelected)
  })

  it('of 500² is not for all machines: a strip would be negative', () => {
    expect(plan(ALL, 500, forecast)).toBeUndefined()
    expect(selected(ALL, 500, forecast).order.length).toBeLessThan(8)
  })

  it('of 1900² avoids a link that is cut', () => {
    // Machines of one site hang on two switches, and the link between these is down.
    const isCut = (one: number, other: number): boolean => one >= 4 && other >= 4 && one % 2 !== other % 2
    const cut: World = { ...forecast, width: (one, other) => (isCut(one, other) ? 1e-6 : forecast.width(one, other)) }
    const before = selected(ALL, 1900, forecast).order
    expect(before.some((machine, at) => at > 0 && isCut(machine, before[at - 1] as number))).toBe(true)
    const { order, time } = selected(ALL, 1900, cut)
    for (const [at, machine] of order.entries()) if (at > 0) expect(isCut(machine, order[at - 1] as number)).toBe(false)
    expect(time).toBeLessThan(2 * selected(ALL, 1900, forecast).time)
  })

  it('runs on the two nodes of the SP-2 alone only below 3900², where their memory ends', () => {
    // Two fast nodes that are alone, beside the other machines over the slow link.
    const fast = {
      ...forecast,
      free: forecast.free.map((free, at) => (at >= 6 ? 4 : free / 8)),
      width: (one: number, other: number) => (one >= 6 && other >= 6 ? 20 : FAR / 10),
    }
    const most = MACHINES.map((_, at) => (at >= 6 ? (3900 * 3900) / 2 : Infinity))
    expect(selected(ALL, 3800, fast, most).order.toSorted((a, b) => a - b)).toEqual([6, 7])
    expect(selected(ALL, 3899, fast, most).order.toSorted((a, b) => a - b)).toEqual([6, 7])
    const { order, areas } = selected(ALL, 3950, fast, most)
    expect(order.length).toBeGreaterThan(2)
    for (const [at, machine] of order.entries()) if (machine >= 6) expect(areas[at]).toBeLessThanOrEqual((3900 * 3900) / 2)
    expect(areas.reduce((sum, each) => sum + each, 0)).toBeCloseTo(3950 * 3950, 0)
  })
})
