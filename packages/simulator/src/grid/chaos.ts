import { createRandom, pickOne } from '@jel/protocol'
import { VirtualGrid } from './grid.ts'
import { optimum, search, searchInput } from '../jobs/programs/search.ts'
import { bytesNumber, irregularTree, rootInput } from '../jobs/programs/trees.ts'

/** The outcome of a random run. */
export interface ChaosResult {
  /**
   * The results of all living members, without duplicates. A correct run has exactly one result.
   */
  readonly results: readonly string[]
  readonly expected: string
  /** The disturbances of the grid, each with its time. */
  readonly events: readonly string[]
}

const MEMBERS = 32
const SITES = 4
const EVENTS = 12

/**
 * Runs a job on 32 members with random disturbances: kills of one or eight members, leaves, joins,
 * partitions and heals. Even seeds search for an optimum. Odd seeds count leaves. With votes, one
 * of eight members lies.
 *
 * @throws Error if some member does not know the end of the job in time
 */
export function runChaos(seed: number, votes = 1): ChaosResult {
  const searches = seed % 2 === 0
  // With votes, bounds come late and prune less, so a job takes several times as much work. With
  // fewer tasks, it takes as long as a job without votes.
  const options = { depth: votes === 1 ? 7 : 5, branching: 4, nodeTime: 60, seed }
  const [leaves, leafTime] = votes === 1 ? [4000, 50] : [800, 250]
  const program = searches ? search(options) : irregularTree({ leaves, leafTime, branching: 4, seed })
  const grid = new VirtualGrid({ seed, program, latency: (from, to) => (from === to ? 0.1 : 20) })
  const events: string[] = []
  for (let member = 0; member < MEMBERS; member++) grid.join({ site: `s${member % SITES}`, lies: votes > 1 && member % 8 === 7 })
  grid.settle()
  grid.submit({ id: 'job', input: searches ? searchInput : rootInput(leaves), votes })
  const end = disturb(grid, createRandom(seed + 77), events)
  grid.until(() => grid.now > end && grid.isDoneEverywhere('job'), 300_000)
  const results = new Set(grid.living.map(({ ended }) => resultOf(ended.get('job'), searches)))
  return { results: [...results], expected: String(searches ? optimum(options) : leaves), events }
}

/**
 * Kills a member every 2 s until `seconds`. Each third victim is the holder of the root. A new
 * member joins at the victim's site.
 */
export function replaceOften(grid: VirtualGrid, seconds: number): void {
  for (let time = 2; time < seconds; time += 2) {
    grid.after(time * 1000, () => {
      const firstReplica = grid.living[0]?.scheduler.replicas('job')[0]
      const victim = time % 6 === 0 ? grid.living.find(({ id }) => id === firstReplica) : grid.living[time % grid.living.length]
      if (victim === undefined) return
      grid.kill(victim)
      grid.join({ site: victim.site })
    })
  }
}

/** Plans the disturbances. Returns the time when their effects are over. */
function disturb(grid: VirtualGrid, random: () => number, events: string[]): number {
  let at = 0
  for (let event = 0; event < EVENTS; event++) {
    at += 200 + random() * 1500
    grid.after(at, () => disturbOnce(grid, random, events))
  }
  grid.after(at + 5000, () => grid.heal())
  return at + 12_000
}

function disturbOnce(grid: VirtualGrid, random: () => number, events: string[]): void {
  const what = random()
  const isCut = new Set(grid.living.map(({ node }) => node.endpoint.side)).size > 1
  const say = (text: string): void => void events.push(`${Math.floor(grid.now)} ms: ${text}`)
  const one = pickOne(random, grid.living)
  if (one === undefined) return
  if (what < 0.35 && grid.living.length > 12) {
    say(`kill ${one.id}`)
    grid.kill(one)
  } else if (what < 0.45 && grid.living.length > 12) {
    say(`leave ${one.id}`)
    grid.leave(one)
  } else if (what < 0.5 && grid.living.length > 20) {
    for (const member of grid.living.slice(0, 8)) {
      say(`kill ${member.id}`)
      grid.kill(member)
    }
  } else if (what < 0.7) {
    const newcomer = grid.join({ site: `s${Math.floor(random() * SITES)}` })
    newcomer.node.endpoint.side = one.node.endpoint.side
    say(`join ${newcomer.id}`)
  } else if (!isCut && what < 0.9) {
    const share = random()
    grid.cut(() => random() < share)
    say('cut')
  } else if (isCut) {
    grid.heal()
    say('heal')
  }
}

function resultOf(entry: ReturnType<VirtualGrid['members'][number]['ended']['get']>, searches: boolean): string {
  if (entry === undefined) return 'nothing'
  if (searches) return String(entry.shared.get('best')?.key)
  return 'value' in entry.outcome ? String(bytesNumber(entry.outcome.value)) : entry.outcome.failure.code
}
