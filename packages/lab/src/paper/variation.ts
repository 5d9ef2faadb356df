/**
 * Variations of settings that the paper leaves open, or that this project has fitted to the paper.
 */
import type { DistributedSettings } from '../baselines/index.ts'
import { contenders, type Contender } from './contender.ts'
import type { ExperimentName } from './experiment.ts'

export interface Variation {
  readonly name: string
  readonly title: string
  /** The experiments to run with the variation. */
  readonly experiments: readonly ExperimentName[]
  readonly contenders?: readonly Contender[]
  /** Changed settings of the scenario. */
  readonly set?: readonly string[]
  /**
   * Processor time to open a connection, at each end, ms. Default: nothing takes processor time.
   */
  readonly connection?: number
  readonly memberBytes?: number
  readonly distributed?: Partial<DistributedSettings>
}

const joinTests: readonly ExperimentName[] = ['figure-5', 'figure-6']
const distributed: readonly Contender[] = ['distributed']
const theirs = contenders.filter((contender) => contender !== 'jel')

export const variations: readonly Variation[] = [
  { name: 'spread-500ms', title: 'starts spread over 0.5 s', experiments: joinTests, set: ['arrivals={ within: 500ms }'] },
  { name: 'spread-5s', title: 'starts spread over 5 s', experiments: joinTests, set: ['arrivals={ within: 5s }'] },
  { name: 'processor-1ms', title: '1 ms of processor time for each connection', experiments: joinTests, connection: 1 },
  { name: 'processor-5ms', title: '5 ms of processor time for each connection', experiments: joinTests, connection: 5 },
  { name: 'member-50', title: 'a member takes 50 bytes', experiments: ['table-2'], contenders: theirs, memberBytes: 50 },
  { name: 'member-200', title: 'a member takes 200 bytes', experiments: ['table-2'], contenders: theirs, memberBytes: 200 },
  {
    name: 'gossip-12',
    title: 'distributed tells 12 members in a message',
    experiments: ['figure-6', 'table-2', 'figure-8'],
    contenders: distributed,
    distributed: { gossipSize: 12 },
  },
  {
    name: 'gossip-all',
    title: 'distributed tells all members in a message, as the published default',
    experiments: ['figure-6', 'table-2', 'figure-8'],
    contenders: distributed,
    distributed: { gossipSize: 30_000 },
  },
  {
    name: 'persistent-pings',
    title: 'distributed tries each suspect for 5 s, one after the other, as the source of January 2009',
    experiments: ['figure-8'],
    contenders: distributed,
    distributed: { persistentPings: true },
  },
]

export function variationOf(name: string): Variation {
  const found = variations.find((each) => each.name === name)
  if (found === undefined) throw new RangeError(`there is no variation ${name}`)
  return found
}
