/**
 * Plants one fault after the other in a copy of the sources, and checks that the tests find it. The
 * unit tests of the protocol and a simulation must find each fault of `faults.ts`. One test file
 * must find each other fault. A test that passes with its fault has a hole.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { inCheckout } from '../base/paths.ts'
import { pattern } from '../base/settings.ts'
import { bench } from '../bench/bench.ts'
import { faults, type Fault } from './faults.ts'
import type { ShellFault } from './shell-faults.ts'
import { singleTestFaults } from './single-test-faults.ts'

const root = inCheckout('.')
const protocol = 'packages/protocol/src'
/** Longest run of a test, ms. A longer run counts as a hang, so it has found the fault. */
const longest = 180_000

/** Copies the folders that tests and scenarios need. Links between packages lead to the copies. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jel-mutants-'))
  const isWanted = (path: string): boolean => !['dist', '.vitest'].includes(basename(path))
  for (const part of ['packages', 'apps', 'scripts', 'docs'])
    cpSync(join(root, part), join(folder, part), { recursive: true, verbatimSymlinks: true, filter: isWanted })
  for (const file of ['package.json', 'pnpm-lock.yaml', 'tsconfig.json', 'vitest.config.ts']) cpSync(join(root, file), join(folder, file))
  const packages = join(folder, 'node_modules/@jel')
  mkdirSync(packages, { recursive: true })
  for (const name of readdirSync(join(root, 'packages'))) symlinkSync(join(folder, 'packages', name), join(packages, name))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@jel') symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

/** Returns true if this command fails in the folder. */
async function fails(folder: string, script: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    stdio: 'ignore',
    timeout: longest,
    env: { ...process.env, CI: undefined },
  })
  return await new Promise((resolvePromise, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolvePromise(code !== 0))
  })
}

const tests = async (folder: string, ...args: readonly string[]): Promise<boolean> =>
  await fails(folder, 'node_modules/vitest/vitest.mjs', ['run', ...args, '--project', 'pure', '--bail', '1', '--reporter', 'dot'])

const testFile = async (folder: string, file: string): Promise<boolean> =>
  await fails(folder, 'node_modules/vitest/vitest.mjs', ['run', file, '--bail', '1', '--reporter', 'dot'])

const unitTests = async (folder: string): Promise<boolean> => await tests(folder, protocol)

async function simulation(folder: string, [name, ...args]: Fault['simulation']): Promise<boolean> {
  if (name === 'sim:check') return await fails(folder, 'packages/lab/src/main.ts', ['sim-check', ...args])
  if (name.endsWith('.test.ts')) return await tests(folder, `packages/simulator/test/${name}`, ...args)
  return await fails(folder, 'apps/node/bin/jel.js', ['simulate', name, ...args])
}

/** Changes one place of a file while `look` runs. Returns the tests that did not find the fault. */
async function plant(
  file: string,
  { from, to }: Pick<Fault, 'from' | 'to'>,
  look: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const sound = readFileSync(file, 'utf8')
  if (sound.split(from).length !== 2) return ['its text does not occur exactly once in the file']
  writeFileSync(
    file,
    sound.replace(from, () => to),
  )
  try {
    return await look()
  } finally {
    writeFileSync(file, sound)
  }
}

/** A planted fault, and the tests that must find it. */
interface Trial {
  readonly name: string
  readonly by: string
  readonly holes: () => Promise<readonly string[]>
}

function protocolTrial(folder: string, fault: Fault): Trial {
  const { name, file, simulation: scenario } = fault
  const look = async (): Promise<string[]> => [
    ...((await unitTests(folder)) ? [] : ['no unit test found it']),
    ...((await simulation(folder, scenario)) ? [] : [`${scenario[0]} did not find it`]),
  ]
  const holes = async (): Promise<readonly string[]> => await plant(join(folder, protocol, file), fault, look)
  return { name, by: `unit tests and ${scenario[0]}`, holes }
}

function shellTrial(folder: string, fault: ShellFault): Trial {
  const { name, file, test } = fault
  const look = async (): Promise<string[]> => ((await testFile(folder, test)) ? [] : [`${test} did not find it`])
  return { name, by: test, holes: async () => await plant(join(folder, file), fault, look) }
}

export const experiment = bench({
  about: 'planted faults, and the tests that find them',
  settings: { only: pattern('only faults whose name or file (from the root of the repository) matches') },
  notes: `Plants faults in a copy of the sources, one at a time. For each fault in faults.ts it runs the unit tests of the protocol and
a simulation. For each other fault it runs one test file. Exit status 1 if a test passes that should fail.`,
  async measure({ only }) {
    const isChosen = (name: string, file: string): boolean => only.test(name) || only.test(file)
    const inProtocol = faults.filter(({ name, file }) => isChosen(name, `${protocol}/${file}`))
    const around = singleTestFaults.filter(({ name, file }) => isChosen(name, file))
    const folder = copy()
    try {
      if (inProtocol.length > 0 && (await unitTests(folder))) throw new Error('the unit tests fail without any fault')
      const simulations = new Map(inProtocol.map((fault) => [fault.simulation.join(' '), fault.simulation]))
      for (const [name, each] of simulations) if (await simulation(folder, each)) throw new Error(`${name} fails without any fault`)
      for (const file of new Set(around.map(({ test }) => test)))
        if (await testFile(folder, file)) throw new Error(`${file} fails without any fault`)
      const trials = [...inProtocol.map((fault) => protocolTrial(folder, fault)), ...around.map((fault) => shellTrial(folder, fault))]
      let found = 0
      for (const { name, by, holes: look } of trials) {
        const start = performance.now()
        const holes = await look()
        if (holes.length === 0) found += 1
        const took = `${((performance.now() - start) / 1_000).toFixed(0)} s`
        console.log(`${holes.length === 0 ? 'found ' : 'MISSED'} ${name}: ${holes.length === 0 ? `by ${by}` : holes.join(', ')} (${took})`)
      }
      console.log(`\n${found} of ${trials.length} found`)
      return found === trials.length
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  passed: (isFound) => isFound,
})
