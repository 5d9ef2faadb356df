import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { provide } from '../tools.ts'
import { noWorld } from '../world.ts'

const main = join(import.meta.dirname, '../main.ts')
const crash = join(import.meta.dirname, '../scenarios/crash.yaml')

// The bundle, if it can be: it starts in a quarter of the time.
spawnSync(process.execPath, [join(import.meta.dirname, '../../bundle-node.ts'), '--if-stale'])

/** Why there can be no laboratory here; undefined where there can. */
function obstacle(): string | undefined {
  try {
    provide('network')
    return noWorld()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const problem = obstacle()
if (problem !== undefined) console.warn(`the laboratory was skipped: ${problem}`)

describe.skipIf(problem !== undefined)('the laboratory', () => {
  it('does on real hosts what a scenario says, and sees what comes of it', async () => {
    const child = spawn(process.execPath, [main, crash], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [text, steps] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
    child.stderr.setEncoding('utf8').on('data', (part: string) => (steps += part))
    const [status] = (await once(child, 'close')) as [number]
    expect(steps).toContain('6.0 s: kill')
    expect(text).toContain('yes  all know all at the end')
    // Three survivors saw the fourth node join and die.
    expect(text).toMatch(/ 16 joined, .*3 died/u)
    expect(status).toBe(0)
  })

  it('leaves nothing behind when it is interrupted', async () => {
    const child = spawn(process.execPath, [main, crash], { stdio: 'ignore' })
    const nodes = (): number =>
      spawnSync('pgrep', ['-f', `join lab-${child.pid} `])
        .stdout.toString()
        .split('\n').length - 1
    for (const deadline = Date.now() + 60_000; nodes() === 0 && Date.now() < deadline;) await sleep(100)
    expect(nodes()).toBeGreaterThan(0)
    child.kill('SIGINT')
    await once(child, 'close')
    for (const deadline = Date.now() + 5_000; nodes() > 0 && Date.now() < deadline;) await sleep(100)
    expect(nodes()).toBe(0)
  })
})
