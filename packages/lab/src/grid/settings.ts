/**
 * The simulator's scenarios of jobs that run on a virtual grid, with the targets for the virtual
 * grid.
 */

export interface Setting {
  readonly name: string
  /** The scenario file, which has the nodes, the network and the actions. */
  readonly scenario: string
  /** Mean time of a leaf, ms, and time of the job without losses, s. */
  readonly leaf: number
  readonly seconds: number
  readonly target: {
    readonly efficiency: number
    readonly twice?: number
    readonly sites?: { readonly names: readonly string[]; readonly efficiency: number }
  }
}

export const SETTINGS: readonly Setting[] = [
  { name: '64 members, four sites, 100 ms', scenario: 'job-sites', leaf: 50, seconds: 100, target: { efficiency: 0.97 } },
  { name: '256 members, four sites, 250 ms', scenario: 'job-sites-far', leaf: 50, seconds: 100, target: { efficiency: 0.94 } },
  {
    name: '64 members, four sites, 100 ms; 30 % and the root killed',
    scenario: 'job-mass-crash',
    leaf: 50,
    seconds: 100,
    target: { efficiency: 0.97, twice: 0.005 },
  },
  {
    name: "Satin's world-wide run: 176 members, 401 cores",
    scenario: 'satin-world',
    leaf: 500,
    seconds: 600,
    target: { efficiency: 0.944, sites: { names: ['Chiba', 'Tsukuba'], efficiency: 0.84 } },
  },
  {
    name: '64 members, four sites, 20 ms; one killed each 2 s, one joins',
    scenario: 'job-kill-often',
    leaf: 50,
    seconds: 60,
    target: { efficiency: 0.95 },
  },
  {
    name: '64 members, four sites, 20 ms; cut in two for a third of the time',
    scenario: 'job-partition',
    leaf: 50,
    seconds: 60,
    target: { efficiency: 0.85 },
  },
  { name: '1,000 members, ten sites, 50 ms', scenario: 'job-thousand', leaf: 50, seconds: 60, target: { efficiency: 0.95 } },
]
