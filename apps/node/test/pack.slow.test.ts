import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'jel-pack-'))
const packages = [
  'packages/machine',
  'packages/protocol',
  'packages/overlay',
  'packages/ledger',
  'packages/jel',
  'packages/channel',
  'packages/monitor',
  'packages/allocate',
  'packages/service',
  'packages/compute',
  'packages/conformance',
  'packages/simulator',
  'apps/node',
]

// npm and its children run on the Node of this test, even if another Node is installed.
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
const exec = promisify(execFile)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [tarballs, empty] = [join(folder, 'tarballs'), join(folder, 'empty')]

beforeAll(async () => {
  for (const each of [tarballs, empty]) mkdirSync(each)
  writeFileSync(join(empty, 'package.json'), '{"private":true,"type":"module"}')

  const pnpm = (...args: string[]): Promise<unknown> => exec('npx', ['-y', 'pnpm@12', ...args], { cwd: root, env, timeout: 120_000 })
  await pnpm('run', 'build')
  for (const each of packages) await pnpm('--dir', each, 'pack', '--pack-destination', tarballs)
  const files = readdirSync(tarballs).map((file) => join(tarballs, file))
  expect(files).toHaveLength(packages.length)
  await exec('npm', ['install', '--no-audit', '--no-fund', ...files], { cwd: empty, env, timeout: 120_000 })
}, 480_000)

/** Runs a program in the folder, and returns its output. */
async function output(file: string): Promise<string> {
  return (await exec(process.execPath, [file], { cwd: empty, env, timeout: 60_000 })).stdout
}

it('the packed packages run from an empty folder', { timeout: 180_000 }, async () => {
  const { stdout } = await exec('npx', ['jel', 'demo', '--nodes', '4'], { cwd: empty, env, timeout: 60_000 })
  expect(stdout).toContain('All of it happened')

  const computed = await exec('npx', ['jel', 'demo', 'compute'], { cwd: empty, env, timeout: 60_000 })
  expect(computed.stdout).toContain('All of it happened')

  // The page of a node: its files are beside the bundle.
  const shown = spawn('npx', ['jel', 'join', 'shown', '--json', '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0', '--no-control'], {
    cwd: empty,
    env,
  })
  try {
    let url: string | undefined
    for await (const line of createInterface({ input: shown.stdout })) {
      const event = JSON.parse(line) as { event: string; url?: string }
      if (event.event === 'http') ({ url } = event)
      if (url !== undefined) break
    }
    const answers = await Promise.all(['', 'page.js', 'page.css', 'icon.svg', 'metrics'].map((path) => fetch(new URL(path, url))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  } finally {
    shown.stdin.end()
  }

  // An application gets the facade compiled, without the sources.
  const use =
    "import { joinPool } from '@jel/jel'; await using pool = await joinPool('p', { listen: ['/ip4/127.0.0.1/tcp/0'] }); console.log(pool.members().length)"
  writeFileSync(join(empty, 'use.mjs'), use)
  expect(await output('use.mjs')).toBe('1\n')

  // The grid has workers in files of their own.
  writeFileSync(
    join(empty, 'sum.mjs'),
    "import { task } from '@jel/compute/program'\nexport const sum = task(async (n, { run }) => n < 2 ? n : (await run(sum, n >> 1)) + (await run(sum, n - (n >> 1))))",
  )
  const run =
    "import { computeLocal } from '@jel/compute'; await using grid = computeLocal({ workers: 2 }); const job = await grid.submit('./sum.mjs', 'sum', 20); console.log(await job.result)"
  writeFileSync(join(empty, 'run.mjs'), run)
  expect(await output('run.mjs')).toBe('20\n')
})

describe('an application that is made one file', () => {
  const source = join(empty, 'application.js')

  beforeAll(() => {
    // CommonJS has no top-level await.
    const application = `import { joinPool } from '@jel/jel'
      async function main() {
        const first = await joinPool('one-file', { listen: ['127.0.0.1:0'] })
        const second = await joinPool('one-file', { listen: ['127.0.0.1:0'], bootstrap: first.self.addresses, requireMembers: 2 })
        const refused = await joinPool('', {}).catch(({ code }) => code)
        console.log(second.members().length, refused)
        for (const pool of [second, first]) await pool.leave()
      }
      void main()`
    writeFileSync(source, application)
  })

  it.each([
    ['esm', 'mjs', false],
    ['esm', 'mjs', true],
    ['cjs', 'cjs', false],
    ['cjs', 'cjs', true],
  ] as const)('by esbuild as %s in .%s, minified: %s, runs', async (format, extension, minify) => {
    const outfile = join(empty, 'bundles', `esbuild-${minify}.${extension}`)
    const common = { bundle: true, platform: 'node', logLevel: 'error' } as const
    const { warnings } = await esbuild.build({ ...common, entryPoints: [source], outfile, format, minify, absWorkingDir: empty })
    expect(warnings).toEqual([])
    expect(await output(outfile)).toBe('2 INVALID_POOL_NAME\n')
  })

  it.each([
    ['esm', 'mjs', false],
    ['esm', 'mjs', true],
    ['cjs', 'cjs', false],
  ] as const)('by rolldown as %s in .%s, minified: %s, runs', async (format, extension, minify) => {
    const file = join(empty, 'bundles', `rolldown-${minify}.${extension}`)
    const build = await rolldown({ input: source, platform: 'node', cwd: empty })
    await build.write({ file, format, minify, codeSplitting: false })
    await build.close()
    expect(await output(file)).toBe('2 INVALID_POOL_NAME\n')
  })
})

describe('an application in TypeScript', () => {
  const compile = async (lib: readonly string[], strictness: object, tag = "'gpu'"): Promise<unknown> => {
    const application = `import { joinPool, type Member } from '@jel/jel'
      import { compute } from '@jel/compute'
      const pool = await joinPool('p', { tag: ${tag}, bootstrap: ['192.0.2.7:4001'], requireMembers: 2 })
      const members: readonly Member[] = pool.members()
      pool.addEventListener('joined', ({ detail }) => detail.id, { once: true })
      for await (const { type, member } of pool.changes({ signal: AbortSignal.timeout(1) })) console.log(type, member.id, members)
      const grid = await compute(pool, { workers: 2 })
      grid.addEventListener('warning', ({ detail }) => detail.code)`
    writeFileSync(join(empty, 'application.ts'), application)
    const compilerOptions = {
      target: 'ES2024',
      module: 'NodeNext',
      noEmit: true,
      strict: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      lib,
      ...strictness,
    }
    writeFileSync(join(empty, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['application.ts'] }))
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    return await exec(process.execPath, [tsc, '--project', empty], { env, timeout: 60_000 }).then(
      ({ stdout }) => stdout,
      (error: unknown) => (error as { stdout: string }).stdout,
    )
  }

  it.each([
    ['without the DOM library', ['ES2024'], {}],
    ['with it', ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], {}],
    ['with exact optional properties', ['ES2024'], { exactOptionalPropertyTypes: true }],
  ] as const)('compiles with all declarations checked: %s', async (_, lib, strictness) => {
    expect(await compile(lib, strictness)).toBe('')
  })

  it('sees nothing internal', () => {
    const scope = join(empty, 'node_modules/@jel')
    const declarations = readdirSync(scope, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'))
    expect(declarations).toContain('compute/dist/grid.d.ts')
    const read = (file: string): string => readFileSync(join(scope, file), 'utf8')
    expect(declarations.filter((file) => read(file).includes('@internal'))).toEqual([])
    const handles = ['grid', 'local', 'job', 'sweep'].map((name) => `compute/dist/${name}.d.ts`)
    expect(handles.filter((file) => /JobSource|LocalJobs/u.test(read(file)))).toEqual([])
  })

  it('is checked: an option of another type does not compile', async () => {
    expect(await compile(['ES2024'], {}, '7')).toMatch(/application\.ts.*'number' is not assignable/u)
  })
})
