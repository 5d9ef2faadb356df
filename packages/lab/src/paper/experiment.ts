/** The experiments of §6.1 to §6.3, at their sizes. Times are seconds, bandwidths Mbit/s. */
import type { Topology } from '@jel/simulator'
import { das2, das2Links, das3, das3Links } from '@jel/simulator'
import { contenders, type Contender } from './contender.ts'

export type ExperimentName = 'figure-5' | 'figure-6' | 'figure-7' | 'figure-8'

/** Nodes that come together, and may go together. */
export interface Burst {
  readonly nodes: number
  /** Clusters among which they are divided evenly; undefined: the only one. */
  readonly sites: readonly string[]
  readonly from: number
  /** Each starts at a random time within this long. */
  readonly over: number
  /** When they go; undefined: with the end of the experiment. */
  readonly until?: number
  readonly end: 'leave' | 'crash'
}

export interface Experiment {
  readonly name: ExperimentName
  readonly title: string
  readonly bursts: readonly Burst[]
  readonly topology: Topology
  readonly nodesPerMachine: number
  /** Of the cable that the nodes of a machine share, each way. */
  readonly machine: number
  /** Of the machine that runs the server or the bootstrap service. */
  readonly frontend: number
  readonly duration: number
  /** What the plot shows. */
  readonly shown: number
  readonly contenders: readonly Contender[]
}

/** Of 20 Java processes on a machine the last is up some seconds after the first. See docs/jel-paper.md for what comes of other values. */
const startOver = 5
/** And they end one after the other. */
const endOver = 10

const das2Cluster = { topology: das2, nodesPerMachine: das2Links.nodesPerMachine, machine: 2_000, frontend: 100 }
const das3Cluster = { topology: das3, nodesPerMachine: das3Links.nodesPerMachine, machine: 10_000, frontend: 10_000 }

function joinTest(nodes: number, site: string): readonly Burst[] {
  return [{ nodes, sites: [site], from: 0, over: startOver, end: 'leave' }]
}

function twoWaves(end: Burst['end']): readonly Burst[] {
  return [
    { nodes: 800, sites: ['VU', 'UvA'], from: 0, over: startOver, end: 'leave' },
    { nodes: 800, sites: ['Delft', 'Leiden'], from: 200, over: startOver, until: 400, end },
  ]
}

export const experiments: readonly Experiment[] = [
  {
    ...das2Cluster,
    name: 'figure-5',
    title: 'Figure 5: join test, 1,000 nodes, DAS-2',
    bursts: joinTest(1_000, 'VU'),
    duration: 100,
    shown: 100,
    contenders,
  },
  {
    ...das3Cluster,
    name: 'figure-6',
    title: 'Figure 6: join test, 2,000 nodes, DAS-3',
    bursts: joinTest(2_000, 'VU'),
    duration: 600,
    shown: 100,
    contenders,
  },
  {
    ...das3Cluster,
    name: 'figure-7',
    title: 'Figure 7: join and leave, 800 + 800 nodes on 4 clusters',
    bursts: twoWaves('leave'),
    duration: 600,
    shown: 600,
    contenders: ['serial-send', 'distributed', 'jel'],
  },
  {
    ...das3Cluster,
    name: 'figure-8',
    title: 'Figure 8: join and crash, 800 + 800 nodes on 4 clusters',
    bursts: twoWaves('crash'),
    duration: 600,
    shown: 600,
    contenders: ['serial-send', 'distributed', 'jel'],
  },
]

export { endOver }
