import { defineConfig } from 'vitest/config'

// Groups, one after the other. Pure tests share the cores; tests of real hosts and of node processes measure time, so each
// of their files runs alone: two swarms at once on a small machine would starve one another and look like dead peers.
// What is slow by nature, in files named *.slow.test.ts, is a group of its own, which `pnpm test` leaves to `pnpm test:slow`.
const groups = [
  {
    name: 'pure',
    folders: ['packages/protocol', 'packages/simulator', 'packages/conformance', 'packages/lab', 'packages/compute/src', 'scripts'],
    timeout: 30_000,
    alone: false,
  },
  { name: 'hosts', folders: ['packages/overlay', 'packages/jel', 'packages/compute/test'], timeout: 60_000, alone: true },
  { name: 'processes', folders: ['apps/*'], timeout: 120_000, alone: true },
  { name: 'slow', folders: ['packages', 'apps/*', 'scripts'], timeout: 120_000, alone: true },
]

export default defineConfig({
  test: {
    reporters:
      process.env['CI'] === undefined
        ? ['default']
        : ['default', ['json', { outputFile: `.vitest/${process.argv.includes('slow') ? 'slow' : 'results'}.json` }]],
    projects: groups.map(({ name, folders, timeout, alone }, groupOrder) => ({
      test: {
        name,
        include: folders.map((folder) => `${folder}/**/*${name === 'slow' ? '.slow' : ''}.test.ts`),
        exclude: ['**/node_modules/**', '**/dist/**', ...(name === 'slow' ? [] : ['**/*.slow.test.ts'])],
        testTimeout: timeout,
        hookTimeout: timeout,
        teardownTimeout: 10_000,
        sequence: { groupOrder },
        maxWorkers: alone ? 1 : '100%',
        fileParallelism: !alone,
      },
    })),
  },
})
