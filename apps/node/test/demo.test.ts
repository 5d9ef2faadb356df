import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DemoStage } from '../src/demo/stage.ts'
import { JelProcess } from './jel-process.ts'

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('jel demo', () => {
  it.each(['3', '4'])('shows a pool of %s that meets, elects, loses its winner, and leaves', async (count) => {
    const demo = new JelProcess(['demo', '--nodes', count, '--json'], 'ignore')
    expect({ status: await demo.exited, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' })
    const summary = JSON.parse(demo.lines.at(-1)!) as { results: { what: string }[] }
    expect(summary).toMatchObject({ event: 'summary', totalMs: expect.toSatisfy((total: number) => total < 15_000) })
    expect(summary.results.map(({ what }) => what.replaceAll(/\d+/gu, 'N'))).toEqual([
      'started',
      'all see all, after the last start',
      'all name node N',
      'all see node N die',
      'all name node N without being asked',
      'all see node N leave',
      'all see the newcomer, after its start',
      'all processes ended by themselves',
    ])
  })

  it('ends its processes when it is interrupted', async () => {
    const demo = new JelProcess(['demo', '--nodes', '3', '--json'], 'ignore')
    await demo.until(() => demo.lines.some((line) => line.includes('"started"')), 'all started')
    demo.child.kill('SIGINT')
    expect(await demo.exited).toBe(1)
    expect(demo.stderr).toContain('SIGINT')
    const pids = new Set(demo.lines.flatMap((line) => (JSON.parse(line) as { pid?: number }).pid ?? []))
    expect(pids.size).toBe(3)
    expect([...pids].filter(isRunning)).toEqual([])
  })
})

describe('a step of the demo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-'))
  let stage: DemoStage | undefined

  afterEach(async () => {
    await stage?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  it('that does not happen is a failure that shows the expected and the seen state', async () => {
    const script = join(folder, 'node.js')
    writeFileSync(
      script,
      "console.log(JSON.stringify({ event: 'started', node: { id: 'x' } })); console.error('no network'); process.exitCode = 3",
    )
    stage = new DemoStage(script, 'p')
    const node = stage.start()
    await node.exited
    await expect(
      stage.all([node], { expected: 'it elects', limit: 50, done: ({ reign }) => reign !== undefined, seen: () => 'names nobody' }),
    ).rejects.toThrow('expected: it elects within 50 ms; seen: node 1: names nobody, ended with 3 (no network)')
  })
})
