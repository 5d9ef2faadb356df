/**
 * The laboratory: all experiments with nodes, real and simulated, behind one command line.
 *
 *     pnpm lab                      # lists the experiments
 *     pnpm lab pool --help
 *     pnpm lab packages/lab/scenarios/partition.yaml    # a scenario on real processes
 */
import { run } from './base/program.ts'
import { UsageError } from './base/settings.ts'
import type { Experiment } from './bench/bench.ts'

/**
 * Longest time that the process lives after the end of an experiment, ms. Resources that the
 * experiment left open may keep it alive.
 */
const END_WITHIN = 2_000

const EXPERIMENTS: Readonly<Record<string, () => Promise<{ readonly experiment: Experiment }>>> = {
  scenario: () => import('./scenario/scenario.ts'),
  pool: () => import('./pool/pool.ts'),
  field: () => import('./field/field.ts'),
  compare: () => import('./compare/revisions.ts'),
  attacks: () => import('./attacks/attacks.ts'),
  blocked: () => import('./blocked/blocked.ts'),
  soak: () => import('./soak/soak.ts'),
  'job-soak': () => import('./job-soak/job-soak.ts'),
  reach: () => import('./reach/reach.ts'),
  'hidden-jobs': () => import('./reach/hidden-jobs.ts'),
  tabs: () => import('./tabs/tabs.ts'),
  crowd: () => import('./crowd/crowd.ts'),
  'large-state': () => import('./large-state/large-state.ts'),
  'compute-field': () => import('./compute-field/compute-field.ts'),
  grid: () => import('./grid/grid.ts'),
  'grid-idle': () => import('./grid-idle/grid-idle.ts'),
  sweeps: () => import('./sweeps/sweeps.ts'),
  thread: () => import('./thread/thread.ts'),
  fidelity: () => import('./fidelity/fidelity.ts'),
  conformance: () => import('./conformance/conformance.ts'),
  'tcp-times': () => import('./tcp-times/tcp-times.ts'),
  simulator: () => import('./simulator/simulator.ts'),
  paper: () => import('./paper/rerun.ts'),
  figures: () => import('./figures/figures.ts'),
  'sim-check': () => import('./sim-check/sim-check.ts'),
  'sim-hash': () => import('./sim-hash/sim-hash.ts'),
  mutants: () => import('./mutants/mutants.ts'),
  monitoring: () => import('./monitoring/monitoring.ts'),
  pattern: () => import('./pattern/pattern.ts'),
  groups: () => import('./groups/groups.ts'),
  nemesis: () => import('./nemesis/nemesis.ts'),
  services: () => import('./services/services.ts'),
  ledger: () => import('./ledger/ledger.ts'),
  constants: () => import('./constants/constants.ts'),
  fuzz: () => import('./fuzz/fuzz.ts'),
}

await run(async () => {
  const args = process.argv.slice(2)
  const [first] = args
  if (first === undefined || first === '--help') {
    process.stdout.write(await usage())
    return first === undefined ? 2 : 0
  }
  const isScenario = /\.ya?ml$/u.test(first) || first.startsWith('-')
  const load = EXPERIMENTS[isScenario ? 'scenario' : first]
  if (load === undefined) throw new UsageError(`there is no experiment ${first}; expected one of ${Object.keys(EXPERIMENTS).join(', ')}`)
  return await (await load()).experiment.run(isScenario ? args : args.slice(1))
})
setTimeout(() => process.exit(), END_WITHIN).unref()

async function usage(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(EXPERIMENTS).map(async ([name, load]) => `  ${name.padEnd(13)} ${(await load()).experiment.about}\n`),
  )
  return `pnpm lab EXPERIMENT [options]\npnpm lab FILE... [options], short for pnpm lab scenario FILE...\n\n${lines.join('')}\nEach experiment shows its settings with --help.\n`
}
