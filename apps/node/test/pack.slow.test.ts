import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'jel-pack-'))
const packages = [
  'packages/protocol',
  'packages/overlay',
  'packages/jel',
  'packages/compute',
  'packages/conformance',
  'packages/simulator',
  'apps/node',
]

// npm and what it starts run on the Node of this test, also where another one is installed.
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
const exec = promisify(execFile)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the packed packages run from an empty folder', { timeout: 180_000 }, async () => {
  const [tarballs, empty] = [join(folder, 'tarballs'), join(folder, 'empty')]
  for (const each of [tarballs, empty]) mkdirSync(each)
  writeFileSync(join(empty, 'package.json'), '{"private":true}')

  const pnpm = (...args: string[]): Promise<unknown> => exec('npx', ['-y', 'pnpm@12', ...args], { cwd: root, env, timeout: 120_000 })
  await pnpm('run', 'build')
  for (const each of packages) await pnpm('--dir', each, 'pack', '--pack-destination', tarballs)
  const files = readdirSync(tarballs).map((file) => join(tarballs, file))
  expect(files).toHaveLength(packages.length)

  await exec('npm', ['install', '--no-audit', '--no-fund', ...files], { cwd: empty, env, timeout: 120_000 })
  const { stdout } = await exec('npx', ['jel', 'demo', '--nodes', '4'], { cwd: empty, env, timeout: 30_000 })
  expect(stdout).toContain('All of it happened')

  const computed = await exec('npx', ['jel', 'demo', 'compute'], { cwd: empty, env, timeout: 60_000 })
  expect(computed.stdout).toContain('All of it happened')

  // The facade as an application finds it: compiled, without the sources.
  const use =
    "import { joinPool } from '@jel/jel'; await using pool = await joinPool('p', { listen: ['/ip4/127.0.0.1/tcp/0'] }); console.log(pool.members().length)"
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', use], { cwd: empty, env, timeout: 30_000 }).toString()).toBe('1\n')

  // And the grid, whose workers are files of their own.
  writeFileSync(
    join(empty, 'sum.mjs'),
    "import { task } from '@jel/compute/program'\nexport const sum = task(async (n, { run }) => n < 2 ? n : (await run(sum, n >> 1)) + (await run(sum, n - (n >> 1))))",
  )
  const run =
    "import { computeLocal } from '@jel/compute'; await using grid = computeLocal({ workers: 2 }); const job = await grid.submit('./sum.mjs', 'sum', 20); console.log(await job.result)"
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', run], { cwd: empty, env, timeout: 30_000 }).toString()).toBe('20\n')
})
