import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests of real hosts and of node processes measure time, so they don't run beside pure ones, which take all that a processor has.
// They mostly wait: two files at once take the time of one. What is slow by nature, in files named *.slow.test.ts, is a group
// of its own, which `pnpm test` leaves to `pnpm test:slow`.
const groups = [
  {
    name: 'pure',
    folders: [
      'packages/machine',
      'packages/protocol',
      'packages/simulator',
      'packages/conformance',
      'packages/lab',
      'packages/compute/src',
      'scripts',
      'apps/*/src',
    ],
    timeout: 30_000,
    order: 0,
    workers: '100%',
  },
  { name: 'hosts', folders: ['packages/overlay', 'packages/jel', 'packages/compute/test'], timeout: 60_000, order: 1, workers: 2 },
  { name: 'processes', folders: ['apps/*/test'], timeout: 120_000, order: 1, workers: 2, setup: ['apps/node/test/bundle.ts'] },
  { name: 'slow', folders: ['packages', 'apps/*', 'scripts'], timeout: 120_000, order: 2, workers: 1, setup: ['apps/node/test/bundle.ts'] },
]

/** Begins with what takes longest, though its file is short: else all others would be done while it runs alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('/jel/test/conformance.test.ts')
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

// Hosts, their threads and node processes load a megabyte of modules each: compiled once, they start in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.vitest/compiled')

export default defineConfig({
  test: {
    reporters:
      process.env['CI'] === undefined
        ? ['default']
        : ['default', ['json', { outputFile: `.vitest/${process.argv.includes('slow') ? 'slow' : 'results'}.json` }]],
    sequence: { sequencer: LongestFirst },
    projects: groups.map(({ name, folders, timeout, order, workers, setup = [] }) => ({
      test: {
        name,
        include: folders.map((folder) => `${folder}/**/*${name === 'slow' ? '.slow' : ''}.test.ts`),
        exclude: ['**/node_modules/**', '**/dist/**', ...(name === 'slow' ? [] : ['**/*.slow.test.ts'])],
        testTimeout: timeout,
        hookTimeout: timeout,
        teardownTimeout: 10_000,
        sequence: { groupOrder: order },
        maxWorkers: workers,
        globalSetup: setup,
        // What is waited for ends the wait: a long one costs nothing, and a machine may be busy.
        expect: { poll: { timeout: 10_000 } },
      },
    })),
  },
})
