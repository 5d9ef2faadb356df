import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests of real hosts and processes measure time, so they don't run beside pure ones, which take
// the whole processor. Measured on two processors: six files at once take 239 s, four 278 s, and
// nine 255 s. Six keep both processors busy. Slow tests, in files named *.slow.test.ts, run before
// a merge (`pnpm test:slow`). Nightly tests, in *.nightly.test.ts, take the processor for a minute
// and more (`.ci/nightly`).
const late = ['slow', 'nightly']
/** Packages whose sources are tested with real hosts. */
const hosts = ['packages/overlay', 'packages/jel', 'packages/channel']
/** Packages whose tests with several helper files run on the virtual clock. */
const virtual = ['packages/machine', 'packages/protocol', 'packages/simulator', 'packages/conformance', 'packages/lab']
const groups = [
  {
    name: 'pure',
    folders: [...virtual, 'packages/*/src', 'scripts', 'apps/*/src'],
    others: hosts,
    timeout: 30_000,
    order: 0,
    workers: '100%',
    // Loading the same modules for each file takes longer than most of these tests.
    isolate: false,
  },
  {
    name: 'real',
    folders: [...hosts, 'packages/*/test'],
    others: virtual,
    timeout: 120_000,
    order: 1,
    workers: 6,
    isolate: false,
  },
  {
    name: 'processes',
    folders: ['apps/*/test'],
    others: [],
    timeout: 120_000,
    order: 1,
    workers: 6,
    setup: ['apps/node/test/bundle.ts'],
    // Modules of these tests end their processes after each test of the file that loads them.
    isolate: true,
  },
  ...late.map((name, at) => ({
    name,
    folders: ['packages', 'apps/*', 'scripts'],
    others: [],
    timeout: 120_000,
    order: 2 + at,
    workers: 3,
    setup: ['apps/node/test/bundle.ts'],
    isolate: true,
  })),
]

/**
 * Files that take longer than a third of a minute, the longest first. One of them that began last
 * would run alone.
 */
const longest = [
  'packages/lab/test/nemesis.nightly.test.ts',
  'apps/node/test/pack.slow.test.ts',
  'packages/service/test/ogsa.slow.test.ts',
  'packages/jel/test/conformance.slow.test.ts',
  'packages/lab/test/lab.slow.test.ts',
  'packages/lab/test/conformance.slow.test.ts',
  'packages/service/test/examples.slow.test.ts',
  'apps/node/test/page.slow.test.ts',
  'apps/node/test/python.slow.test.ts',
  'apps/node/test/saved-jobs.slow.test.ts',
  'apps/node/test/orders.slow.test.ts',
  'apps/node/test/restart.slow.test.ts',
  'apps/node/test/web.slow.test.ts',
  'apps/node/test/mixed-pool.slow.test.ts',
  'apps/node/test/output.slow.test.ts',
  'packages/simulator/src/grid/clients.slow.test.ts',
  'packages/jel/test/worker-conformance.slow.test.ts',
  'packages/simulator/src/grid/memory.slow.test.ts',
  'apps/node/test/work.test.ts',
  'packages/compute/test/pool.test.ts',
  'apps/node/test/allocation.test.ts',
  'apps/node/test/compute.test.ts',
  'packages/compute/test/command-container.test.ts',
  'apps/node/test/control.test.ts',
  'packages/compute/test/saved-states.test.ts',
  'apps/node/test/terminal.test.ts',
  'apps/node/test/contract.test.ts',
  'packages/jel/test/ledger.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId }: TestSpecification): number => longest.findIndex((name) => moduleId.endsWith(name))
    const long = sorted.filter((file) => placeOf(file) !== -1).toSorted((one, other) => placeOf(one) - placeOf(other))
    return [...long, ...sorted.filter((file) => placeOf(file) === -1)]
  }
}

// Hosts, their threads and node processes load a megabyte of modules each. With a compile cache
// they start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.vitest/compiled')

export default defineConfig({
  test: {
    reporters:
      process.env['CI'] === undefined
        ? ['default']
        : ['default', ['json', { outputFile: `.vitest/${late.find((name) => process.argv.includes(name)) ?? 'results'}.json` }]],
    sequence: { sequencer: LongestFirst },
    projects: groups.map(({ name, folders, others, timeout, order, workers, isolate, setup = [] }) => ({
      test: {
        name,
        include: folders.map((folder) => `${folder}/**/*${late.includes(name) ? `.${name}` : ''}.test.ts`),
        exclude: [
          ...['node_modules', 'dist'].map((each) => `**/${each}/**`),
          ...others.map((each) => `${each}/**`),
          ...late.filter((each) => each !== name).map((each) => `**/*.${each}.test.ts`),
        ],
        testTimeout: timeout,
        hookTimeout: timeout,
        teardownTimeout: 10_000,
        sequence: { groupOrder: order },
        maxWorkers: workers,
        isolate,
        globalSetup: setup,
        // A poll ends as soon as its condition holds, so a long timeout costs nothing, and a
        // machine may be busy.
        expect: { poll: { timeout: 10_000 } },
      },
    })),
  },
})
