/**
 * The clusters of the paper's §6.1 to §6.3: DAS-2 and DAS-3.
 *
 * The scenarios of the figures set the bandwidths of nodes and machines. The paper gives no delays.
 * These delays are guesses from distances: 5 µs per kilometre of fibre, and 0.1 ms for equipment.
 * They matter little. The assumed fibre is 1.5 times as long as the straight line.
 */
import type { Topology } from '../site.ts'

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
