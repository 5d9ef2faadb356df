import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('shows the help text with --help, and runs nothing', () => {
  const program = `import { bench } from ${JSON.stringify(new URL('bench.ts', import.meta.url).href)}
    import { whole } from ${JSON.stringify(new URL('../base/settings.ts', import.meta.url).href)}
    const plan = { about: 'how', settings: { size: whole(3, 'large') }, measure: ({ size }) => size, table: (size) => 'size ' + size, passed: (size) => size < 4 }
    process.exitCode = await bench(plan).run(process.argv.slice(1))`
  const flagged = (...flags: string[]): unknown =>
    spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', ...flags], { encoding: 'utf8', timeout: 30_000 })
  expect(flagged('--help')).toMatchObject({ status: 0, stdout: 'how\n\n  --size 3   large\n  --help     show this\n' })
  expect(flagged()).toMatchObject({ status: 0, stdout: 'size 3\n' })
  expect(flagged('--size', '4')).toMatchObject({ status: 1, stdout: 'size 4\n' })
})
