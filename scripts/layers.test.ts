import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/**
 * The folders of a package. Each has the other folders from which it may import.
 * docs/architecture.md describes their content.
 */
type Layers = Readonly<Record<string, readonly string[]>>

const protocol: Layers = {
  wire: [],
  base: [],
  facts: ['base', 'wire'],
  frames: ['base', 'wire', 'facts'],
  context: ['base', 'facts', 'frames'],
  topology: ['base', 'facts', 'context'],
  dissemination: ['base', 'wire', 'facts', 'frames', 'context'],
  'detection/probing': ['base', 'facts', 'context'],
  'detection/suspicion': ['base', 'facts', 'context', 'topology', 'detection/probing'],
  'detection/verdict': ['base', 'facts', 'context', 'detection/probing', 'detection/suspicion'],
  detection: ['base', 'wire', 'facts', 'frames', 'context', 'detection/probing', 'detection/suspicion', 'detection/verdict'],
  life: ['base', 'facts', 'context', 'detection/verdict'],
  election: ['base', 'facts', 'context'],
  records: ['base', 'facts', 'context'],
}

const overlay: Layers = {
  base: [],
  identity: ['base'],
  links: ['base'],
  host: ['base', 'identity'],
  dialing: ['base', 'host'],
  api: ['base', 'host', 'identity'],
  engine: ['base', 'dialing', 'host', 'identity', 'links'],
  streams: ['api', 'base', 'dialing', 'host'],
  overlay: ['api', 'base', 'engine', 'host', 'identity', 'streams'],
}

const jel: Layers = {
  base: ['.'],
  queries: ['base', '.'],
  records: ['base', '.'],
  pool: ['base', 'queries', 'records', '.'],
  thread: ['base', '.'],
  metrics: ['base', 'pool', '.'],
}

/** The folders that all experiments of the laboratory may use. */
const common = ['base', 'network', 'swarm', 'bench']

const lab: Layers = {
  base: [],
  network: ['base'],
  swarm: ['base', 'network'],
  bench: ['base', 'network'],
  scenario: common,
  pool: common,
  field: common,
  attacks: common,
  crowd: [...common, 'attacks'],
  compare: common,
  'compute-field': [...common, 'compute-field/programs'],
  'compute-field/programs': [...common, 'compute-field'],
  grid: common,
  'grid-idle': common,
  sweeps: common,
  'sweeps/programs': common,
  'large-state': [...common, 'attacks'],
  blocked: common,
  soak: common,
  'job-soak': common,
  thread: common,
  fidelity: common,
  'tcp-times': common,
  simulator: common,
  // No other folder may use it.
  paper: [...common, 'baselines'],
  baselines: [],
  figures: ['base', 'bench', 'attacks', 'compute-field', 'fidelity', 'field', 'pool', 'scenario', 'soak', 'tcp-times'],
  'sim-check': common,
  'sim-hash': [...common, 'baselines'],
  mutants: common,
  constants: [...common, 'sim-check'],
  fuzz: common,
}

const compute: Layers = {
  core: [],
  program: ['core', 'executors'],
  executors: ['core', 'program', '.'],
  shell: ['core', 'program', 'executors', '.'],
}

const simulator: Layers = {
  engine: [],
  network: ['engine'],
  'network/topologies': ['network'],
  protocol: ['engine', 'network', '.'],
  hostile: ['network', 'protocol'],
  scenario: ['hostile', 'network', 'network/topologies'],
  report: ['engine', 'network', 'runner', 'scenario'],
  'jobs/programs': ['runner', 'scenario'],
  jobs: ['engine', 'network', 'protocol', 'scenario', 'report', 'runner', 'jobs/programs', '.'],
  runner: ['engine', 'network', 'network/topologies', 'protocol', 'hostile', 'scenario', 'report', 'jobs', '.'],
  grid: ['jobs', 'jobs/programs', 'network', 'protocol', '.'],
}

const node: Layers = {
  base: [],
  simulate: ['base'],
  model: ['agent'],
  log: ['agent', 'base'],
  agent: ['base', 'commands', 'log', 'model'],
  orders: ['base', 'log'],
  commands: ['agent', 'base', 'orders', '.'],
  handlers: ['agent', 'base', 'log'],
  demo: ['agent', 'base', 'model'],
  http: ['agent', 'base', 'model'],
  'http/page': ['agent', 'http', 'model'],
  control: ['agent', 'base', 'commands'],
  compute: ['agent', 'base', 'control', 'demo', '.'],
  terminal: ['agent', 'base', 'commands', 'control', 'model'],
  reference: ['commands'],
}

describe.each([
  ['packages/compute', compute],
  ['packages/lab', lab],
  ['packages/protocol', protocol],
  ['packages/overlay', overlay],
  ['packages/jel', jel],
  ['packages/simulator', simulator],
  ['apps/node', node],
] as const)('the folders of %s', (name, layers) => {
  const src = join(import.meta.dirname, '..', name, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => dirname(file) !== '.' && file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )

  it('all have a place', () => {
    expect(Object.keys(layers).sort()).toEqual([...new Set(files.map((file) => dirname(file)))].sort())
  })

  it('import downwards only', () => {
    const upwards = files.flatMap((file) => {
      const targets = readFileSync(join(src, file), 'utf8').matchAll(/from '(\.\.?\/[^']+)'/gu)
      const folders = [...targets].map(([, target]) => dirname(relative(src, join(src, dirname(file), target as string))))
      return folders.filter((to) => to !== dirname(file) && layers[dirname(file)]?.includes(to) !== true).map((to) => `${file} -> ${to}`)
    })
    expect(upwards).toEqual([])
  })
})

/** The packages from which each package may import. docs/architecture.md has the picture. */
const packages: Layers = {
  machine: [],
  protocol: ['@jel/machine'],
  overlay: ['@jel/machine', '@jel/protocol', '@jel/protocol/internals'],
  jel: ['@jel/overlay', '@jel/protocol'],
  // The generated entry of a bundle imports `@jel/compute/program`.
  compute: ['@jel/compute/command', '@jel/compute/program', '@jel/jel', '@jel/machine', '@jel/overlay', '@jel/protocol'],
  simulator: ['@jel/compute/internals', '@jel/protocol', '@jel/protocol/internals'],
}

function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/(?:from|import) '([^']+)'/gu)].map(([, target]) => target as string)
}

describe('the files', () => {
  const src = ['machine', 'protocol', 'overlay', 'jel', 'compute', 'simulator', 'conformance', 'lab'].map((name) => `packages/${name}/src`)
  const files = [...src, 'apps/node/src', 'apps/examples/src'].flatMap((folder) => {
    const path = join(import.meta.dirname, '..', folder)
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
    return names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).map((name) => join(path, name))
  })

  it('import each other in no circle, types included', () => {
    const imports = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter((target) => target.startsWith('.'))
          .map((target) => join(dirname(file), target)),
      ]),
    )
    // A topological sort. The files that are left are in a circle, or import a file in a circle.
    const open = new Map(imports)
    for (let size = Infinity; open.size < size;) {
      size = open.size
      for (const [file, targets] of open) if (!targets.some((target) => open.has(target))) open.delete(file)
    }
    expect([...open.keys()].map((file) => relative(join(import.meta.dirname, '..'), file))).toEqual([])
  })
})

describe('the packages', () => {
  it.each(Object.entries(packages))('%s imports only the packages that it may import', (name, allowed) => {
    const src = join(import.meta.dirname, '../packages', name, 'src')
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    )
    const others = files.flatMap((file) => importsOf(join(src, file)).filter((target) => target.startsWith('@jel/')))
    expect([...new Set(others)].filter((target) => !allowed.includes(target))).toEqual([])
  })

  it('keep the scheduler free of Node, and of all packages but the kernel and the protocol', () => {
    const seen = new Set([join(import.meta.dirname, '../packages/compute/src/internals.ts')])
    for (const file of seen) for (const target of importsOf(file)) if (target.startsWith('.')) seen.add(join(dirname(file), target))
    const outside = [...seen].flatMap(importsOf).filter((target) => !target.startsWith('.'))
    expect([...new Set(outside)].sort()).toEqual(['@jel/machine', '@jel/protocol', 'cbor-x', 'valibot'])
  })
})
