import { defineConfig } from 'vitest/config'

// Three groups, one after the other. Pure tests share the cores; tests of real hosts and of node processes measure time, so each
// of their files runs alone: two swarms at once on a small machine would starve one another and look like dead peers.
const groups = [
  {
    name: 'pure',
    folders: ['packages/protocol', 'packages/simulator', 'packages/conformance', 'packages/lab', 'scripts'],
    timeout: 30_000,
    alone: false,
  },
  {
    name: 'hosts',
    folders: ['packages/overlay', 'packages/jel', 'packages/lab/src/attacks', 'packages/lab/src/large-state'],
    timeout: 60_000,
    alone: true,
  },
  { name: 'processes', folders: ['apps/*', 'packages/lab/test'], timeout: 120_000, alone: true },
]

export default defineConfig({
  test: {
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', ['json', { outputFile: '.vitest/results.json' }]],
    projects: groups.map(({ name, folders, timeout, alone }, groupOrder) => ({
      test: {
        name,
        include: folders.map((folder) => `${folder}/**/*.test.ts`),
        exclude: [
          '**/node_modules/**',
          '**/dist/**',
          ...(name === 'pure' ? ['packages/lab/src/attacks/**', 'packages/lab/src/large-state/**', 'packages/lab/test/**'] : []),
        ],
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
