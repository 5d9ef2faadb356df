/**
 * The laboratory: every experiment with nodes, real and simulated, behind one command line.
 *
 *     pnpm lab                      # lists the experiments
 *     pnpm lab pool --help
 *     pnpm lab packages/lab/scenarios/partition.yaml    # a scenario on real processes
 */
import { run, UsageError, type Command } from './base/program.ts'

interface Experiment {
  readonly about: string
  load(): Promise<{ readonly experiment: Command }>
}

/** Resources that an experiment left open delay its end by this at most, ms. */
const END_WITHIN = 2_000

const EXPERIMENTS: Readonly<Record<string, Experiment>> = {
  scenario: {
    about: 'a scenario file on real processes, on hosts that are network namespaces',
    load: () => import('./scenario/command.ts'),
  },
  pool: { about: 'what a pool of real nodes costs, and how fast news spreads in it', load: () => import('./pool/command.ts') },
  field: { about: 'our pool and Serf over the same course', load: () => import('./field/command.ts') },
  compare: { about: 'this checkout beside another revision: which rows of a benchmark differ', load: () => import('./compare/command.ts') },
  attacks: { about: 'hostile peers against real hosts', load: () => import('./attacks/command.ts') },
  blocked: { about: 'applications that block their thread', load: () => import('./blocked/command.ts') },
  soak: { about: 'sixty nodes for an hour: does what they hold stay flat?', load: () => import('./soak/command.ts') },
  'job-soak': {
    about: 'jobs of all kinds while members come, leave, are killed and cut: is none lost?',
    load: () => import('./job-soak/command.ts'),
  },
  crowd: { about: 'one node in a pool of thousands', load: () => import('./crowd/command.ts') },
  'large-state': { about: 'thousands of members told to a newcomer', load: () => import('./large-state/command.ts') },
  'compute-field': { about: 'our grid, piscina, BullMQ and Dask over the same course', load: () => import('./compute-field/command.ts') },
  compute: { about: 'a job while its processes are killed, its submitter first', load: () => import('./compute/command.ts') },
  'compute-cut': { about: 'a job while the pool is cut in two', load: () => import('./compute-cut/command.ts') },
  grid: { about: 'jobs on a virtual grid: processors at work, work done twice, chaos', load: () => import('./grid/command.ts') },
  'grid-idle': {
    about: 'what a grid without jobs costs, beside a pool that does not compute',
    load: () => import('./grid-idle/command.ts'),
  },
  grain: { about: 'how short tasks may be', load: () => import('./grain/command.ts') },
  thread: { about: 'a node in a worker thread beside one in the main thread', load: () => import('./thread/command.ts') },
  fidelity: { about: 'the simulator beside real hosts', load: () => import('./fidelity/command.ts') },
  'tcp-times': { about: "the simulator's transfer times beside those of this kernel", load: () => import('./tcp-times/command.ts') },
  simulator: { about: 'how fast the simulator is', load: () => import('./simulator/command.ts') },
  paper: { about: 'the figures of the JEL paper, with its own implementations beside ours', load: () => import('./paper/command.ts') },
  figures: { about: 'writes the figures of all documents anew from docs/figures', load: () => import('./figures/command.ts') },
  'sim-check': { about: 'a fixed set of simulated runs beside the committed figures', load: () => import('./sim-check/command.ts') },
  'sim-hash': { about: 'the same histories on several versions of Node', load: () => import('./sim-hash/command.ts') },
  mutants: { about: 'planted faults, and who finds them', load: () => import('./mutants/command.ts') },
  fuzz: { about: 'every decoder on made-up input', load: () => import('./fuzz/command.ts') },
}

await run(async () => {
  const args = process.argv.slice(2)
  const [first] = args
  if (first === undefined || first === '--help') {
    process.stdout.write(usage())
    return first === undefined ? 2 : 0
  }
  const isScenario = /\.ya?ml$/u.test(first) || first.startsWith('-')
  const experiment = EXPERIMENTS[isScenario ? 'scenario' : first]
  if (experiment === undefined)
    throw new UsageError(`there is no experiment ${first}; expected one of ${Object.keys(EXPERIMENTS).join(', ')}`)
  return await (await experiment.load()).experiment.run(isScenario ? args : args.slice(1))
})
setTimeout(() => process.exit(), END_WITHIN).unref()

function usage(): string {
  const lines = Object.entries(EXPERIMENTS).map(([name, { about }]) => `  ${name.padEnd(13)} ${about}\n`)
  return `pnpm lab EXPERIMENT [options]\npnpm lab FILE... [options], which is pnpm lab scenario\n\n${lines.join('')}\nEach tells with --help what it takes.\n`
}
