/**
 * Bundles the command line into several parts in apps/node/dist. A process loads only what its
 * command needs. jel.js and its chunks are for nodes and computing. simulate.js and worker.js are
 * for simulations. own.bundle.js, sandbox.bundle.js and program.js are for programs. rank-main.js
 * is the process of a rank. http.js and page.js are for `--http`. port-mapping.js is for
 * `--port-mapping`. Writes the licences of the content, and lists of the sources.
 * apps/node/bin/start.js reads the lists, and so sees whether the bundles are up to date.
 *
 * `--if-stale` does nothing if the bundles are up to date. It never fails: the command line can run
 * from its sources.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { OutputOptions, Plugin as RolldownPlugin, RolldownOptions } from 'rolldown'
import { frameDocument, webBundles } from '../apps/web/src/build.ts'
import { licences } from './licences.ts'

type Input = readonly [path: string, size: number, changed: number]

interface Bundle {
  /** The name of the bundle and of its list of sources. */
  readonly name: string
  readonly build: RolldownOptions
  readonly output: OutputOptions
  /** A folder to copy beside the bundle. */
  readonly data?: string
}

const root = resolve(import.meta.dirname, '..')
const node = join(root, 'apps/node')
const dist = join(node, 'dist')
const simulator = join(root, 'packages/simulator')
const compute = join(root, 'packages/compute')

/** The modules that the command line imports on demand. Each is a bundle of its own. */
const SIMULATE = ['./simulate/simulate.ts', './simulate.js'] as const
const HTTP = ['./http/index.ts', './http.js'] as const
const PORT_MAPPING = ['./port-mapping.ts', './port-mapping.js'] as const
const WEB = ['./web/index.ts', './web.js'] as const
const WEB_LISTENER = ['../../web/web-listener.ts', './web-listener.js'] as const

/** @achingbrain/ssdp reads its own version from its package.json. A bundle has none. */
const versioned = {
  name: 'version of ssdp',
  transform: (code: string): string | undefined =>
    code.includes("req('../../package.json')") ? code.replace("req('../../package.json')", "{ name: 'ssdp', version: '4' }") : undefined,
}

const bundles: readonly Bundle[] = [
  {
    name: 'jel',
    build: {
      input: {
        jel: join(node, 'src/main.ts'),
        queens: join(root, 'apps/examples/src/queens.ts'),
        program: join(compute, 'src/program/index.ts'),
        command: join(compute, 'src/program/command.ts'),
      },
      // rolldown is a bundler with a native part. cbor-extract is an optional native part of CBOR.
      external: ['rolldown', 'cbor-extract'],
      plugins: [apart(SIMULATE, HTTP, PORT_MAPPING, WEB, WEB_LISTENER)],
    },
    // A command loads its own chunk, and the chunks that it shares with others. With one file for
    // all commands, a command that starts no node takes 70 ms and 10 MB more (measured).
    output: { chunkFileNames: 'jel-[name].js' },
  },
  {
    name: 'port-mapping',
    build: { input: { 'port-mapping': join(root, 'packages/overlay/src/host/port-mapping.ts') }, plugins: [versioned] },
    output: { codeSplitting: false },
  },
  {
    name: 'simulate',
    build: {
      input: { simulate: join(node, 'src/simulate/simulate.ts'), worker: join(simulator, 'src/runner/worker.ts') },
      // `canvas` is an optional module of vega. The simulator does not use it.
      external: ['canvas'],
    },
    output: { chunkFileNames: 'simulate-[name].js' },
    data: join(simulator, 'scenarios'),
  },
  // The code of a program's process. The process may read no file, so each bundle is complete. Thus
  // a program can run without the bundler.
  ...['own', 'sandbox'].map((place) => ({
    name: `${place}.bundle`,
    build: { input: { [`${place}.bundle`]: join(compute, `src/executors/${place}-main.ts`) }, external: ['cbor-extract'] },
    output: { codeSplitting: false },
  })),
  {
    name: 'rank-main',
    build: { input: { 'rank-main': join(root, 'packages/allocate/src/process/rank-main.ts') } },
    output: { codeSplitting: false },
  },
  {
    name: 'http',
    build: { input: { http: join(node, 'src/http/index.ts') } },
    output: { codeSplitting: false },
    data: join(node, 'src/http/static'),
  },
  {
    name: 'web',
    build: { input: { web: join(node, 'src/web/index.ts') }, external: ['rolldown'] },
    output: { codeSplitting: false },
  },
  {
    name: 'web-listener',
    build: { input: { 'web-listener': join(root, 'packages/overlay/src/web/web-listener.ts') } },
    output: { codeSplitting: false },
  },
  ...webBundles.map(({ name, format, build }) => ({
    name: `web/${name}`,
    build: { ...build, input: { [`web/${name}`]: Object.values(build.input)[0] as string } },
    output: { format, keepNames: false, minify: true, codeSplitting: false },
  })),
  {
    name: 'page',
    build: { input: { page: join(node, 'src/http/page/page.ts') }, platform: 'browser' },
    output: { keepNames: false, minify: true },
  },
]

if (!process.argv.includes('--if-stale')) await buildAll()
else if (!bundles.every(isFresh))
  await buildAll().catch((error: unknown) => console.warn('apps/node was not bundled, it runs from its sources:', error))

function apart(...bundles: readonly (readonly [source: string, id: string])[]): RolldownPlugin {
  const ids = new Map(bundles)
  return {
    name: 'the rest apart',
    resolveId: (source) => {
      const id = ids.get(source)
      return id === undefined ? undefined : { id, external: true }
    },
  }
}

async function buildAll(): Promise<void> {
  mkdirSync(join(dist, 'web'), { recursive: true })
  const modules = (await Promise.all(bundles.map(build))).flat()
  replace(join(dist, 'LICENSES.txt'), licences(modules))
  const [program, frame] = ['program', 'frame'].map((name) => readFileSync(join(dist, `web/${name}.js`), 'utf8')) as [string, string]
  replace(join(dist, 'web/frame.html'), frameDocument(program, frame))
  for (const { data } of bundles) {
    if (data === undefined) continue
    const copy = join(dist, basename(data))
    rmSync(copy, { recursive: true, force: true })
    cpSync(data, copy, { recursive: true })
  }
}

/** Builds a bundle. Returns the modules that it contains. */
async function build({ name, build: options, output: outputOptions, data }: Bundle): Promise<string[]> {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ platform: 'node', logLevel: 'warn', ...options })
  const { output } = await build.generate({
    format: 'esm',
    // Error names come from class names. Lines stay short: a stack trace quotes the line that
    // threw.
    keepNames: true,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    ...outputOptions,
  })
  // A file that only exports what others have is in no chunk, but a change of it counts.
  const read = await build.watchFiles
  await build.close()
  const chunks = output.filter((each) => each.type === 'chunk')
  const modules = chunks.flatMap(({ moduleIds }) => idsOf(moduleIds))
  const sources = idsOf(read).filter((id) => !id.includes(`${sep}node_modules${sep}`))
  // A folder's time changes with its entries. A file's time changes with its content.
  const copied = data === undefined ? [] : [data, ...readdirSync(data).map((file) => join(data, file))]
  const inputs = [join(root, 'pnpm-lock.yaml'), ...sources, ...copied].map(describe)
  for (const chunk of chunks) replace(join(dist, chunk.fileName), ascii(chunk.code))
  replace(inputList(name), `${JSON.stringify(inputs)}\n`)
  return modules
}

/** Returns the paths of modules, without those that the bundler itself made. */
function idsOf(modules: readonly string[]): string[] {
  return modules.filter((id) => !id.startsWith('\0')).map((id) => id.replace(/\?.*$/u, ''))
}

function inputList(name: string): string {
  return join(dist, `${name}.inputs.json`)
}

/**
 * Escapes everything beyond ASCII: a single such character makes V8 keep the whole source at two
 * bytes a character. Measured: 2 MB a process.
 */
function ascii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Replaces a file atomically: a node that starts meanwhile reads the old file or the new one. */
function replace(file: string, content: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, content)
  renameSync(temporary, file)
}

function describe(file: string): Input {
  const { size, mtimeMs } = statSync(file)
  return [relative(root, file).replaceAll(sep, '/'), size, mtimeMs]
}

function isFresh({ name }: Bundle): boolean {
  try {
    statSync(join(dist, `${name}.js`))
    const inputs = JSON.parse(readFileSync(inputList(name), 'utf8')) as Input[]
    return inputs.every((input) => JSON.stringify(describe(join(root, input[0]))) === JSON.stringify(input))
  } catch {
    return false
  }
}
