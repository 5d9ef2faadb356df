/**
 * The clusters of the paper's §6.1 to §6.3: DAS-2 and DAS-3.
 *
 * Bandwidths are the paper's. It gives no delays: these are guesses from distances (5 µs a kilometre of fibre that is half as long again as
 * the crow flies, and 0.1 ms of equipment), and matter little beside the rest.
 */
import type { Bandwidth } from '../bandwidth.ts'
import type { Topology } from '../site.ts'

/** What a node and the front-end of a cluster, which runs its server, can send and receive. */
export interface ClusterLinks {
  readonly node: Bandwidth
  readonly frontend: Bandwidth
  /** How many nodes the paper started on each machine. */
  readonly nodesPerMachine: number
}

/** "10 nodes per processor core on 50 dual processor machines … all nodes, as well as the frontend …, about 100Mbit/s" (§6.1.1). */
export const das2Links: ClusterLinks = { node: { up: 100, down: 100 }, frontend: { up: 100, down: 100 }, nodesPerMachine: 20 }

/** 2,000 nodes on 85 machines, "250Mbit/s of bandwidth per node", a front-end of 10 Gbit/s (§6.1.2). */
export const das3Links: ClusterLinks = { node: { up: 250, down: 250 }, frontend: { up: 10_000, down: 10_000 }, nodesPerMachine: 24 }

/** One cluster: Figure 5. */
export const das2: Topology = { name: 'DAS-2', sites: [{ name: 'VU' }], delays: [[0.1]], jitter: 0.5 }

/** Five clusters across the Netherlands: Figures 6 to 8. */
export const das3: Topology = {
  name: 'DAS-3',
  sites: [{ name: 'VU' }, { name: 'UvA' }, { name: 'UvA-MultimediaN' }, { name: 'Delft' }, { name: 'Leiden' }],
  delays: [
    [0.05, 0.15, 0.15, 0.5, 0.35],
    [0.15, 0.05, 0.1, 0.5, 0.4],
    [0.15, 0.1, 0.05, 0.5, 0.4],
    [0.5, 0.5, 0.5, 0.05, 0.25],
    [0.35, 0.4, 0.4, 0.25, 0.05],
  ],
  jitter: 0.5,
}
