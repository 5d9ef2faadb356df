import type { Bandwidth } from '@jel/simulator'
import { replaceOften, type VirtualGrid } from '@jel/simulator/internals'

/** Machines at one place. */
export interface Site {
  readonly name: string
  readonly nodes: number
  /** Of each node. */
  readonly cores: number
  /** Seconds from the submission until they join. */
  readonly late?: number
  /**
   * Mbit/s that its members send to members of other sites, and receive from them. Default: any
   * number.
   */
  readonly gateway?: Bandwidth
}

export interface Setting {
  readonly name: string
  readonly sites: readonly Site[]
  /** One-way delay between two sites, ms. */
  readonly latency: (from: string, to: string) => number
  /** Mean time of a leaf, ms. */
  readonly leaf: number
  /** Default duration of the job without losses, s. */
  readonly seconds: number
  /** Disturbs the grid once the job runs; `seconds`: the job's planned duration. */
  readonly disturb?: (grid: VirtualGrid, seconds: number) => void
  readonly target: {
    readonly efficiency: number
    readonly twice?: number
    /** Target of the sites whose name begins with `name`. */
    readonly sites?: readonly [name: string, efficiency: number]
  }
}

const LOCAL = 0.1

function alike(members: number, sites: number): Site[] {
  return Array.from({ length: sites }, (_, site) => ({ name: `s${site}`, nodes: members / sites, cores: 1 }))
}

function between(latency: number): Setting['latency'] {
  return (from, to) => (from === to ? LOCAL : latency)
}

/**
 * Kills a share of the members at once, the one with the root first, when 40 % of the job is done.
 */
function killAtOnce(share: number): NonNullable<Setting['disturb']> {
  return (grid, seconds) =>
    grid.after(seconds * 400, () => {
      const keeper = grid.living[0]?.scheduler.replicas('job')[0]
      const order = grid.living.toSorted((a, b) => Number(b.id === keeper) - Number(a.id === keeper))
      for (const member of order.slice(0, Math.round(order.length * share))) grid.kill(member)
    })
}

/** For a third of the time the first half of the sites is cut from the others. */
function partition(grid: VirtualGrid, seconds: number): void {
  const sites = [...new Set(grid.members.map(({ site }) => site))]
  grid.after(seconds * 300, () => grid.cut(({ site }) => sites.indexOf(site) < sites.length / 2))
  grid.after(seconds * 600, () => grid.heal())
}

/**
 * The JEL paper, Table IV. NL to NL 1 ms, to the USA 45 ms (guesses). Japan has 1 Mbit/s, by the
 * paper, and "a latency of over 250 ms", taken for the round trip; its nodes come late, as in the
 * paper.
 */
const satin: readonly Site[] = [
  { name: 'nl VU', nodes: 32, cores: 4 },
  { name: 'nl UvA', nodes: 16, cores: 4 },
  { name: 'nl Delft', nodes: 32, cores: 2 },
  { name: 'nl Leiden', nodes: 16, cores: 2 },
  { name: 'japan Chiba', nodes: 8, cores: 2, late: 60, gateway: { up: 1, down: 1 } },
  { name: 'japan Tsukuba', nodes: 8, cores: 8, late: 60, gateway: { up: 1, down: 1 } },
  { name: 'nl desktops', nodes: 15, cores: 1 },
  { name: 'nl desktop of two', nodes: 1, cores: 2 },
  { name: 'usa EC2', nodes: 16, cores: 1 },
]

const COUNTRY = /^\w+/u
const FAR: Readonly<Record<string, number>> = { 'japan nl': 125, 'nl usa': 45, 'japan usa': 90 }

function worldWide(from: string, to: string): number {
  const [one, other] = [from, to].map((site) => COUNTRY.exec(site)?.[0] as string) as [string, string]
  if (from === to) return LOCAL
  return one === other ? (one === 'japan' ? 5 : 1) : (FAR[[one, other].sort().join(' ')] as number)
}

export const SETTINGS: readonly Setting[] = [
  {
    name: '64 members, four sites, 100 ms',
    sites: alike(64, 4),
    latency: between(100),
    leaf: 50,
    seconds: 100,
    target: { efficiency: 0.97 },
  },
  {
    name: '256 members, four sites, 250 ms',
    sites: alike(256, 4),
    latency: between(250),
    leaf: 50,
    seconds: 100,
    target: { efficiency: 0.94 },
  },
  {
    name: '64 members, four sites, 100 ms; 30 % and the root killed',
    sites: alike(64, 4),
    latency: between(100),
    leaf: 50,
    seconds: 100,
    disturb: killAtOnce(0.3),
    target: { efficiency: 0.97, twice: 0.005 },
  },
  {
    name: "Satin's world-wide run: 176 members, 401 cores",
    sites: satin,
    latency: worldWide,
    leaf: 500,
    seconds: 600,
    target: { efficiency: 0.944, sites: ['japan', 0.84] },
  },
  {
    name: '64 members, four sites, 20 ms; one killed each 2 s, one joins',
    sites: alike(64, 4),
    latency: between(20),
    leaf: 50,
    seconds: 60,
    disturb: (grid, seconds) => replaceOften(grid, seconds * 0.9),
    target: { efficiency: 0.95 },
  },
  {
    name: '64 members, four sites, 20 ms; cut in two for a third of the time',
    sites: alike(64, 4),
    latency: between(20),
    leaf: 50,
    seconds: 60,
    disturb: partition,
    target: { efficiency: 0.85 },
  },
  {
    name: '1,000 members, ten sites, 50 ms',
    sites: alike(1000, 10),
    latency: between(50),
    leaf: 50,
    seconds: 60,
    target: { efficiency: 0.95 },
  },
]
