/** The paper's results. */
import type { Contender } from './contender.ts'
import type { Megabytes } from './trial.ts'

/** Table II: total data transferred in the join test with 2,000 nodes on DAS-3, MB. */
export const tableTwo: Readonly<Partial<Record<Contender, Megabytes>>> = {
  'serial-send': { service: 1521.47, mean: 0.76 },
  'peer-bootstrap': { service: 677.23, mean: 0.45 },
  'broadcast-tree': { service: 5.57, mean: 1.32 },
  gossip: { service: 9.83, mean: 0.49 },
  'adaptive-gossip': { service: 40.36, mean: 0.57 },
  distributed: { mean: 25.37 },
}
