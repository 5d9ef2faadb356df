/**
 * The sites of the paper's world-wide experiment (§6.5, Table IV), with its numbers of nodes. These
 * numbers add up to 144, but the table states a total of 176.
 *
 * From the paper: the nodes in Japan reach the rest only through a tunnel of "1Mbit/s and a latency
 * of over 250ms to the DAS-3". The model has one tunnel per site, 250 ms each way. Firewalls limit
 * the nodes that others can dial. The other delays are guesses: within the Netherlands as in
 * `das3.ts`, 45 ms each way to a data centre on the American east coast, and 85 ms from there to
 * Japan in addition to the tunnel's 250 ms.
 */
import type { Topology } from '../site.ts'

const tunnel = { up: 1, down: 1 }

export const world: Topology = {
  name: 'world-wide (Table IV)',
  sites: [
    { name: 'VU', nodes: 32 },
    { name: 'UvA', nodes: 16 },
    { name: 'Delft', nodes: 32 },
    { name: 'Leiden', nodes: 16 },
    { name: 'Chiba', nodes: 8, gateway: tunnel, dialable: 'site' },
    { name: 'Tsukuba', nodes: 8, gateway: tunnel, dialable: 'site' },
    { name: 'VU desktops', nodes: 16, dialable: 'site' },
    { name: 'EC2', nodes: 16 },
  ],
  delays: [
    [0.05, 0.15, 0.5, 0.35, 250, 250, 0.3, 45],
    [0.15, 0.05, 0.5, 0.4, 250, 250, 0.4, 45],
    [0.5, 0.5, 0.05, 0.25, 250, 250, 0.7, 45],
    [0.35, 0.4, 0.25, 0.05, 250, 250, 0.6, 45],
    [250, 250, 250, 250, 0.05, 2, 250, 335],
    [250, 250, 250, 250, 2, 0.05, 250, 335],
    [0.3, 0.4, 0.7, 0.6, 250, 250, 0.2, 45],
    [45, 45, 45, 45, 335, 335, 45, 0.3],
  ],
  jitter: 0.1,
}
