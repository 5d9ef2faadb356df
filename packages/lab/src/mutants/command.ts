/**
 * Plants one fault after the other in a copy of the sources and sees who finds it: the unit tests of the protocol, and a simulation. A net
 * that lets a fault through that it is to find has a hole.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { inCheckout } from '../base/paths.ts'
import { command } from '../base/program.ts'
import { faults, type Fault } from './faults.ts'

const root = inCheckout('.')
/** A run that takes longer has found the fault: it hangs. Ms. */
const longest = 180_000

const usage = `Usage: pnpm lab mutants [--only REGEXP]

Plants faults in a copy of the protocol, each alone, and runs its unit tests and a simulation against it.
Ends with status 1 where a test passes that should fail.`

/** The parts that tests and scenarios need. Links between packages lead to the copies. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'jel-mutants-'))
  const isWanted = (path: string): boolean => !['dist', '.vitest'].includes(basename(path))
  for (const part of ['packages', 'apps'])
    cpSync(join(root, part), join(folder, part), { recursive: true, verbatimSymlinks: true, filter: isWanted })
  for (const file of ['package.json', 'tsconfig.json', 'vitest.config.ts']) cpSync(join(root, file), join(folder, file))
  const packages = join(folder, 'node_modules/@jel')
  mkdirSync(packages, { recursive: true })
  for (const name of readdirSync(join(root, 'packages'))) symlinkSync(join(folder, 'packages', name), join(packages, name))
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@jel') symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

/** Whether this command fails in the folder. */
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

const unitTests = async (folder: string): Promise<boolean> => await tests(folder, 'packages/protocol/src')

async function simulation(folder: string, [name, ...args]: Fault['simulation']): Promise<boolean> {
  if (name === 'sim:check') return await fails(folder, 'packages/lab/src/main.ts', ['sim-check', ...args])
  if (name.endsWith('.test.ts')) return await tests(folder, `packages/simulator/test/${name}`, ...args)
  return await fails(folder, 'apps/node/bin/jel.js', ['simulate', name, ...args])
}

async function plant(folder: string, fault: Fault): Promise<readonly string[]> {
  const file = join(folder, 'packages/protocol/src', fault.file)
  const sound = readFileSync(file, 'utf8')
  if (sound.split(fault.from).length !== 2) return ['does not stand in its file once']
  writeFileSync(
    file,
    sound.replace(fault.from, () => fault.to),
  )
  const holes: string[] = []
  if (!(await unitTests(folder))) holes.push('no unit test found it')
  if (!(await simulation(folder, fault.simulation))) holes.push(`${fault.simulation[0]} did not find it`)
  writeFileSync(file, sound)
  return holes
}

export const experiment = command(usage, { only: { type: 'string' } }, async ({ only = '' }) => {
  const chosen = faults.filter(({ name }) => new RegExp(only, 'u').test(name))
  const folder = copy()
  try {
    if (await unitTests(folder)) throw new Error('the unit tests fail without any fault')
    const simulations = new Map(chosen.map((fault) => [fault.simulation.join(' '), fault.simulation]))
    for (const [name, each] of simulations) if (await simulation(folder, each)) throw new Error(`${name} fails without any fault`)
    let found = 0
    for (const fault of chosen) {
      const start = performance.now()
      const holes = await plant(folder, fault)
      if (holes.length === 0) found += 1
      const took = `${((performance.now() - start) / 1_000).toFixed(0)} s`
      const result = holes.length === 0 ? `by unit tests and ${fault.simulation[0]}` : holes.join(', ')
      console.log(`${holes.length === 0 ? 'found ' : 'MISSED'} ${fault.name}: ${result} (${took})`)
    }
    console.log(`\n${found} of ${chosen.length} found, each by the unit tests and by a simulation`)
    return found === chosen.length ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
})
