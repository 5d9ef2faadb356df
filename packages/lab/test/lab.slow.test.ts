import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inCheckout, labMain } from '../src/base/paths.ts'
import { until } from '../src/base/wait.ts'
import { provide } from '../src/network/tools.ts'
import { noNamespaces } from '../src/network/namespaces.ts'
import type { Measured } from './echo.ts'

const hosts = join(import.meta.dirname, 'hosts.ts')
const crash = join(import.meta.dirname, '../scenarios/crash.yaml')

// Builds the bundle where possible: it starts in a quarter of the time.
spawnSync(process.execPath, [inCheckout('scripts/bundle-node.ts'), '--if-stale'])

/** The output of a program, and its exit status. */
async function finished(child: ChildProcess): Promise<{ readonly stdout: string; readonly stderr: string; readonly status: number }> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (stdout += part))
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  const [status] = (await once(child, 'close')) as [number]
  return { stdout, stderr, status }
}

/** Why there can be no laboratory here; undefined where there can. */
function obstacle(): string | undefined {
  try {
    provide('network')
    return noNamespaces()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const problem = obstacle()
if (problem !== undefined) console.warn(`the laboratory was skipped: ${problem}`)

describe.skipIf(problem !== undefined).concurrent('the laboratory', () => {
  it('runs a scenario on real hosts, and observes its outcome', async () => {
    const child = spawn(process.execPath, [labMain, crash], { stdio: ['ignore', 'pipe', 'pipe'] })
    const { stdout: text, stderr: steps, status } = await finished(child)
    expect(steps).toMatch(/12\.\d s: node 3 crashes/u)
    expect(text).toContain('yes  all know all at the end')
    // Three survivors saw the fourth node join and die.
    expect(text).toMatch(/ 16 joined, .*3 died/u)
    // The killed node did not run any more.
    expect(text).toContain('lives of running members that ended: 0, 0 of them falsely')
    expect(status).toBe(0)
  })

  it('delays each packet between hosts as configured, in order, through links of the configured width', async () => {
    const { stdout, status } = await finished(spawn(process.execPath, [hosts, 'far'], { stdio: ['ignore', 'pipe', 'inherit'] }))
    expect(status).toBe(0)
    const { connecting, roundTrips, refused, payload } = JSON.parse(stdout) as Measured
    // 30 ms each way. Less is impossible, and much more means that the machine is too busy.
    for (const time of [connecting, ...roundTrips, refused.after]) expect(time).toBeGreaterThan(58)
    expect(Math.min(connecting, ...roundTrips)).toBeLessThan(180)
    expect(refused.code).toBe('ECONNREFUSED')
    expect(payload.isWhole).toBe(true)
    // A megabyte at 8 Mbit/s.
    expect(payload.took).toBeGreaterThan(1_000)
  })

  it('refuses connections at a firewall at once and both ways, and lets all in again afterwards', async () => {
    const { stdout, status } = await finished(spawn(process.execPath, [hosts, 'cut'], { stdio: ['ignore', 'pipe', 'inherit'] }))
    expect(stdout.trim().split('\n')).toEqual(['talking', 'ECONNRESET', 'ECONNREFUSED', 'talking'])
    expect(status).toBe(0)
  })

  it('runs cases of the acceptance suite that need silent hosts and cuts', async () => {
    const cases = 'a silent host is reported|a partition that ends soon|two pools started apart'
    const { stdout, status } = await finished(
      spawn(process.execPath, [labMain, 'conformance', '--cases', cases], { stdio: ['ignore', 'pipe', 'inherit'] }),
    )
    expect(stdout).toContain('3 of 3 cases passed')
    expect(status).toBe(0)
  })

  it('shows that both sides of a cut acknowledge operations of a service, and that none is lost silently', async () => {
    const { stdout, status } = await finished(
      spawn(process.execPath, [labMain, 'services', '--calls', '0', '--kills', '0', '--cut', '12', '--offline'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    expect(stdout).toMatch(/whose result is another one than was answered +\| [1-9]/u)
    expect(stdout).toContain('of which the caller heard nothing')
    expect(status).toBe(0)
  })

  it('leaves nothing behind when it is interrupted', async () => {
    const child = spawn(process.execPath, [labMain, crash], { stdio: 'ignore' })
    const nodes = (): number =>
      spawnSync('pgrep', ['-f', `join lab-${child.pid} `])
        .stdout.toString()
        .split('\n').length - 1
    expect(await until(() => nodes() > 0, 60_000, 100)).toBe(true)
    child.kill('SIGINT')
    await once(child, 'close')
    expect(await until(() => nodes() === 0, 5_000, 100)).toBe(true)
  })
})
