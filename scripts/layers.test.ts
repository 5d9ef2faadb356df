import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { circlesOf, fileImportsOf, folderImportsOf } from './size.ts'
import { importsOf, packageFolders, root } from './workspace.ts'

/**
 * The folders of a package. Each has the other folders from which it may import. `.` stands for the
 * files directly in `src`. docs/architecture.md describes the content of the folders.
 */
type Layers = Readonly<Record<string, readonly string[]>>

/** A package without folders. */
const flat: Layers = { '.': [] }

const protocol: Layers = {
  '.': [
    'base',
    'wire',
    'facts',
    'frames',
    'context',
    'topology',
    'dissemination',
    'detection',
    'detection/probing',
    'detection/suspicion',
    'life',
    'election',
    'records',
  ],
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
  '.': ['api', 'base', 'host', 'identity', 'links', 'overlay', 'web'],
  base: [],
  identity: ['base'],
  circuits: ['base'],
  links: ['base', 'circuits'],
  web: ['base'],
  // `#platform/*` is one of these. The parts below choose none.
  'platform/node': ['base', 'host', 'identity', 'platform', 'web'],
  'platform/browser': ['base', 'identity', 'platform', 'web'],
  platform: ['identity'],
  host: ['base', 'circuits', 'identity', 'platform', 'web'],
  dialing: ['base', 'host', 'platform'],
  relay: ['base', 'circuits', 'dialing', 'host', 'platform'],
  api: ['base', 'host', 'identity'],
  engine: ['base', 'circuits', 'dialing', 'host', 'identity', 'links', 'relay'],
  streams: ['api', 'base', 'circuits', 'host', 'relay'],
  reach: ['base', 'circuits', 'host', 'streams'],
  overlay: ['api', 'base', 'circuits', 'engine', 'host', 'identity', 'reach', 'relay', 'streams'],
}

const jel: Layers = {
  '.': ['base', 'pool', 'queries', 'records'],
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
  // `main.ts` lists the experiments.
  '.': ['*'],
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
  'compute-field/programs': common,
  grid: common,
  'grid-idle': common,
  sweeps: common,
  'sweeps/programs': common,
  'large-state': [...common, 'attacks'],
  blocked: common,
  soak: common,
  reach: common,
  tabs: common,
  'job-soak': common,
  thread: common,
  fidelity: common,
  conformance: common,
  'tcp-times': common,
  simulator: common,
  // No other folder may use it.
  paper: [...common, 'baselines'],
  baselines: [],
  figures: ['base', 'bench', 'attacks', 'compute-field', 'fidelity', 'field', 'pool', 'scenario', 'soak', 'tcp-times'],
  'sim-check': common,
  'sim-hash': [...common, 'baselines'],
  mutants: common,
  monitoring: common,
  groups: common,
  pattern: common,
  services: [...common, 'monitoring', '../../service/examples'],
  constants: [...common, 'sim-check'],
  fuzz: common,
  ledger: [...common, 'linearizability'],
  linearizability: ['swarm'],
  nemesis: [...common, 'linearizability'],
}

const compute: Layers = {
  '.': ['core', 'program', 'executors', 'shell'],
  // `#platform/*` is one of these. The parts below choose none.
  'platform/node': ['executors', 'platform', 'program', 'shell', '.'],
  'platform/browser': ['executors', 'platform', 'program', 'shell', '.'],
  platform: [],
  core: [],
  program: ['core', '.'],
  executors: ['core', 'program', '.'],
  shell: ['core', 'program', 'executors', '.'],
}

const allocate: Layers = {
  '.': ['core', 'group', 'limit', 'pairs', 'shell'],
  core: [],
  limit: ['core', '.'],
  pairs: ['core', '.'],
  shell: ['core', 'limit', 'pairs', '.'],
  group: ['core', 'shell', '.'],
  process: ['group'],
}

const service: Layers = {
  '.': ['core', 'shell'],
  core: [],
  shell: ['core', '.'],
}

const ledger: Layers = {
  '.': ['fold', 'shell'],
  core: [],
  fold: ['core'],
  wire: ['core'],
  store: ['core', 'fold', 'wire', '.'],
  shell: ['core', 'fold', 'store', 'wire', '.'],
}

const monitor: Layers = {
  '.': ['core', 'expression', 'forecast', 'shell'],
  // `#platform/*` is one of these.
  'platform/node': ['core', 'expression'],
  'platform/browser': ['core'],
  expression: ['.'],
  core: ['expression', '.'],
  forecast: [],
  shell: ['core', 'expression', '.'],
}

const simulator: Layers = {
  '.': ['engine', 'network', 'network/topologies', 'protocol', 'hostile', 'scenario', 'report', 'jobs/programs', 'runner', 'grid'],
  engine: [],
  network: ['engine'],
  'network/topologies': ['network'],
  protocol: ['engine', 'network', '.'],
  hostile: ['network', 'protocol'],
  scenario: ['engine', 'hostile', 'network', 'network/topologies'],
  truth: ['hostile', 'scenario', '.'],
  report: ['engine', 'network', 'scenario', 'truth'],
  'jobs/programs': ['scenario'],
  jobs: ['engine', 'network', 'protocol', 'scenario', 'truth', 'report', 'jobs/programs', '.'],
  runner: ['network', 'network/topologies', 'protocol', 'hostile', 'scenario', 'truth', 'report', 'jobs', '.'],
  grid: ['jobs', 'jobs/programs', 'network', 'protocol', '.'],
}

const node: Layers = {
  '.': [
    'agent',
    'base',
    'commands',
    'compute',
    'control',
    'demo',
    'events',
    'handlers',
    'http',
    'log',
    'orders',
    'reference',
    'simulate',
    'terminal',
    'web',
  ],
  base: [],
  web: ['base'],
  simulate: ['base'],
  events: ['base'],
  model: ['events'],
  log: ['base', 'events'],
  agent: ['base', 'events', 'log', 'model'],
  orders: ['base', 'log'],
  commands: ['agent', 'base', 'events', 'orders', '.', 'model'],
  handlers: ['base', 'events', 'log'],
  demo: ['base', 'events', 'model'],
  http: ['agent', 'base', 'events', 'model'],
  'http/page': ['agent', 'events', 'http', 'model'],
  control: ['agent', 'base', 'commands', 'events'],
  compute: ['agent', 'base', 'control', 'demo', 'events', '.', 'model'],
  terminal: ['base', 'commands', 'control', 'events', 'model'],
  reference: ['commands'],
}

const folders: Readonly<Record<string, Layers>> = {
  'packages/machine': flat,
  'packages/protocol': protocol,
  'packages/overlay': overlay,
  'packages/jel': jel,
  'packages/compute': compute,
  'packages/channel': flat,
  'packages/monitor': monitor,
  'packages/allocate': allocate,
  'packages/service': service,
  'packages/ledger': ledger,
  'packages/simulator': simulator,
  'packages/conformance': flat,
  'packages/lab': lab,
  'apps/node': node,
  'apps/web': flat,
  'apps/examples': flat,
}

/** The packages from which each package may import. docs/architecture.md has the picture. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'packages/machine': [],
  'packages/protocol': ['@jel/machine'],
  'packages/overlay': ['@jel/machine', '@jel/protocol'],
  'packages/jel': ['@jel/ledger', '@jel/ledger/node', '@jel/overlay', '@jel/protocol'],
  // The generated entry of a bundle imports `@jel/compute/program`.
  'packages/compute': [
    '@jel/compute/command',
    '@jel/compute/program',
    '@jel/jel',
    '@jel/jel/metrics',
    '@jel/machine',
    '@jel/monitor',
    '@jel/overlay',
    '@jel/protocol',
  ],
  'packages/channel': ['@jel/jel', '@jel/overlay'],
  'packages/allocate': ['@jel/channel', '@jel/jel', '@jel/machine', '@jel/monitor', '@jel/overlay', '@jel/protocol'],
  'packages/monitor': ['@jel/channel', '@jel/jel', '@jel/machine', '@jel/overlay', '@jel/protocol'],
  'packages/service': ['@jel/channel', '@jel/jel', '@jel/machine', '@jel/overlay', '@jel/protocol'],
  'packages/ledger': ['@jel/machine', '@jel/overlay'],
  'packages/simulator': ['@jel/compute/internals', '@jel/machine', '@jel/protocol', '@jel/protocol/internals'],
  'packages/conformance': ['@jel/protocol'],
  'packages/lab': [
    '@jel/allocate',
    '@jel/compute',
    '@jel/compute/program',
    '@jel/conformance',
    '@jel/jel',
    '@jel/machine',
    '@jel/monitor',
    '@jel/monitor/testing',
    '@jel/overlay',
    '@jel/overlay/internals',
    '@jel/protocol',
    '@jel/protocol/internals',
    '@jel/service',
    '@jel/simulator',
    '@jel/simulator/internals',
    '@jel/simulator/testing',
  ],
  'apps/node': [
    '@jel/allocate',
    '@jel/allocate/process',
    '@jel/compute',
    '@jel/compute/metrics',
    '@jel/jel',
    '@jel/jel/metrics',
    '@jel/ledger/verify',
    '@jel/monitor',
    '@jel/service',
    '@jel/simulator',
  ],
  // The page and the feed are those of the command line.
  'apps/web': [
    '@jel/compute',
    '@jel/compute/frame',
    '@jel/jel',
    '@jel/node/agent',
    '@jel/node/feed',
    '@jel/node/overview',
    '@jel/node/page',
    '@jel/node/stop',
  ],
  'apps/examples': ['@jel/compute/program'],
}

/** Returns the texts of a package's sources by their paths below `src`. */
function sourcesOf(name: string): Map<string, string> {
  const src = join(root, name, 'src')
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]))
}

it('each package and app has a place', () => {
  expect(Object.keys(folders).sort()).toEqual(packageFolders())
  expect(Object.keys(packages).sort()).toEqual(packageFolders())
})

describe.each(Object.entries(folders))('the folders of %s', (name, layers) => {
  const files = sourcesOf(name)

  it('all have a place', () => {
    expect(Object.keys(layers).sort()).toEqual([...new Set([...files.keys()].map((file) => dirname(file)))].sort())
  })

  it('import downwards only', () => {
    const upwards = [...fileImportsOf(files)].flatMap(([file, targets]) => {
      const allowed = [dirname(file), ...(layers[dirname(file)] ?? [])]
      return targets
        .map((target) => dirname(target))
        .filter((to) => !allowed.includes(to) && !allowed.includes('*'))
        .map((to) => `${file} -> ${to}`)
    })
    expect(upwards).toEqual([])
  })

  it('have no permission that no file uses', () => {
    const used = new Map(Object.keys(layers).map((folder) => [folder, new Set<string>()]))
    for (const [file, targets] of fileImportsOf(files)) for (const target of targets) used.get(dirname(file))?.add(dirname(target))
    // Each experiment may use what all have in common.
    const shared = layers === lab ? [...common, '*'] : []
    const unused = Object.entries(layers).flatMap(([folder, allowed]) =>
      allowed.filter((to) => used.get(folder)?.has(to) !== true && !shared.includes(to)).map((to) => `${folder} -> ${to}`),
    )
    expect(unused).toEqual([])
  })
})

describe('the sources of all packages', () => {
  const texts = new Map(
    Object.keys(folders).flatMap((name) => [...sourcesOf(name)].map(([file, text]) => [`${name}/src/${file}`, text] as const)),
  )
  const imports = fileImportsOf(texts)

  it('import each other in no circle of files, types included', () => {
    expect(circlesOf(imports)).toEqual([])
  })

  it('import each other in no circle of folders', () => {
    expect(circlesOf(folderImportsOf(imports))).toEqual([])
  })
})

describe('the packages', () => {
  it.each(Object.entries(packages))('%s imports the packages that it may import, and no others', (name, allowed) => {
    const others = [...sourcesOf(name).values()].flatMap(importsOf).filter((target) => target.startsWith('@jel/'))
    expect([...new Set(others)].toSorted()).toEqual(allowed)
  })

  it('keep the scheduler free of Node, and of all packages but the kernel and the protocol', () => {
    const read = (file: string): string[] => importsOf(readFileSync(file, 'utf8'))
    const seen = new Set([join(root, 'packages/compute/src/internals.ts')])
    for (const file of seen) for (const target of read(file)) if (target.startsWith('.')) seen.add(join(dirname(file), target))
    const outside = [...seen].flatMap(read).filter((target) => !target.startsWith('.'))
    expect([...new Set(outside)].sort()).toEqual(['@jel/machine', '@jel/protocol', 'cbor-x', 'valibot'])
  })
})
