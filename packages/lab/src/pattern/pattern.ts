/**
 * Selection by the pattern of an exchange (Goteti, Subhlok): ten hosts whose links change, four of
 * them chosen, and a real exchange of data along a ring.
 */
import { createRandom } from '@jel/protocol'
import { markdownTable } from '../base/markdown.ts'
import { mean } from '../base/quantiles.ts'
import { whole } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { runId } from '../network/namespaces.ts'
import { LabNetwork } from '../network/network.ts'
import { MemberProcesses, type MemberProcess } from '../swarm/member-process.ts'
import type { Commands } from './application.ts'
import { Links } from './links.ts'

/** The number of hosts, and the number of chosen hosts: those of the paper. */
const [HOSTS, CHOSEN] = [10, 4]
/** The bandwidth of a link without other traffic, bits a second, and the least share of it. */
const [BITS, LEAST] = [10e6, 0.2]
/** Bytes to each neighbour in an exchange. */
const BYTES = 500_000
/** Longest wait for the measurement of all pairs, ms. A guess. */
const MEASURE = 60_000
/** Of this number of rounds, one has an exchange of each with each. */
const ALL_EVERY = 4

const WAYS = ['pattern', 'all-all', 'random'] as const
type Way = (typeof WAYS)[number]

interface Result {
  /** The slowdowns of each exchange along a ring, against free links, %. */
  readonly ring: Readonly<Record<Way, number[]>>
  /** The same for an exchange of each with each. */
  readonly all: Readonly<Record<'pattern' | 'all-all', number[]>>
  /** The times of the measurements of all pairs, s. */
  readonly measured: number[]
  readonly unknown: number
}

/** Returns the neighbours of a position in a ring. */
function beside(ids: readonly string[], at: number): string[] {
  return [ids[(at + 1) % ids.length], ids[(at + ids.length - 1) % ids.length]].filter((each) => each !== undefined)
}

export const experiment = bench({
  about: 'selection by the pattern of an exchange: ten hosts, links that change, and a real exchange of four',
  settings: {
    rounds: whole(20, 'times that all links change', 1),
    seed: whole(1, 'for the links and the random choices', 0),
  },
  notes:
    'A round takes about 20 s. Exit status 1 unless the mean slowdown by pattern is the least, and at most half of a random choice. Needs Linux, and root or user namespaces.',
  where: 'hosts',
  measure: async ({ rounds, seed }): Promise<Result> => {
    const network = new LabNetwork(HOSTS)
    await network.ready
    const links = new Links(network.hosts)
    const random = createRandom(seed)
    const members = new MemberProcesses<Commands>(`pattern-${runId()}`, new URL('application.ts', import.meta.url))
    try {
      for (const host of network.hosts) await members.start({ host, location: `n${host.number}@site` })
      const [first] = members.all as [MemberProcess<Commands>]
      await members.known()
      const memberOf = (id: string) => members.all.find((each) => each.id === id) as MemberProcess<Commands>
      /** Returns the time of an exchange, s. */
      const exchange = async (ids: readonly string[], neighboursOf: (at: number) => readonly string[]): Promise<number> => {
        const begin = performance.now()
        await Promise.all(ids.map(async (id, at) => await memberOf(id).remote.exchange(neighboursOf(at), BYTES)))
        return (performance.now() - begin) / 1000
      }
      const ring = async (ids: readonly string[]): Promise<number> => await exchange(ids, (at) => beside(ids, at))
      const each = async (ids: readonly string[]): Promise<number> => await exchange(ids, (at) => ids.filter((_, other) => other !== at))
      const some = (): string[] => {
        const left = members.all.map(({ id }) => id)
        return Array.from({ length: CHOSEN }, () => left.splice(Math.floor(random() * left.length), 1)[0] as string)
      }
      links.set(() => BITS)
      const free = some()
      // The first exchange dials.
      await each(free)
      const [freeRing, freeEach] = [await ring(free), await each(free)]
      const result = {
        ring: { pattern: [], 'all-all': [], random: [] } as Record<Way, number[]>,
        all: { pattern: [], 'all-all': [] } as Record<'pattern' | 'all-all', number[]>,
        measured: [] as number[],
        unknown: 0,
      }
      for (let round = 0; round < rounds; round++) {
        const shares = new Map<string, number>()
        links.set((one, other) => {
          const key = `${one} ${other}`
          const share = shares.get(key) ?? LEAST + (1 - LEAST) * random()
          shares.set(key, share)
          return BITS * share
        })
        const begin = performance.now()
        const { unknown } = await first.remote.measure(MEASURE)
        result.measured.push((performance.now() - begin) / 1000)
        result.unknown += unknown.length
        for (const reason of new Set(unknown)) console.error(`round ${round + 1}: unknown: ${reason}`)
        const chosen = {
          pattern: await first.remote.select(CHOSEN, 'ring'),
          'all-all': await first.remote.select(CHOSEN, 'all'),
          random: some(),
        }
        const slower = (time: number, than: number): number => (time / than - 1) * 100
        for (const way of WAYS) result.ring[way].push(slower(await ring(chosen[way]), freeRing))
        if (round % ALL_EVERY === 0) {
          // For an exchange of each with each, both ways select by the same pattern, `all`.
          result.all.pattern.push(slower(await each(await first.remote.select(CHOSEN, 'all')), freeEach))
          result.all['all-all'].push(slower(await each(chosen['all-all']), freeEach))
        }
        console.error(`round ${round + 1}: ${WAYS.map((way) => `${way} ${(result.ring[way].at(-1) as number).toFixed(0)} %`).join(', ')}`)
      }
      return result
    } finally {
      members.close()
    }
  },
  table: ({ ring, all, measured, unknown }) =>
    `${markdownTable(
      ['slowdown against free links, mean', 'by pattern', 'all-all', 'random'],
      [
        [`exchange along a ring, ${ring.pattern.length} times`, percent(ring.pattern), percent(ring['all-all']), percent(ring.random)],
        [`exchange of each with each, ${all.pattern.length} times`, percent(all.pattern), percent(all['all-all']), ''],
      ],
    )}

The ${(HOSTS * (HOSTS - 1)) / 2} pairs were measured in ${mean(measured).toFixed(1)} s, with ${unknown} failures in all. In the paper: 20.2, 27.6 and 40 %.`,
  passed: ({ ring, all }) =>
    mean(ring.pattern) < mean(ring['all-all']) &&
    mean(ring['all-all']) < mean(ring.random) &&
    mean(ring.pattern) <= mean(ring.random) / 2 &&
    Math.abs(mean(all.pattern) - mean(all['all-all'])) <= 20,
})

function percent(values: readonly number[]): string {
  return `${mean(values).toFixed(1)} %`
}
