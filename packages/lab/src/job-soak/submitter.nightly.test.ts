import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { end } from '../base/child.ts'
import { jelBin } from '../base/paths.ts'
import { startNode, type Line, type NodeProcess } from '../swarm/start-node.ts'
import { liveMemoryOf, measuredEnv } from './live-memory.ts'

const SWEEPS = 6
const INPUTS = 200
/** A node writes its live memory every 10 s, ms. So this sample is of a time without a sweep. */
const SETTLED = 21_000
/** Characters of each input. Those of all inputs of a sweep have 800 KB. */
const LENGTH = 4000
/**
 * Maximum number of live bytes that a sweep with small values may leave at the node that submitted
 * it: half of its inputs. Measured: nothing. With a blob of each job in memory it is 709 KB.
 */
const LEFT = 400_000
/**
 * The same for values as large as the inputs. The node is a replica, and keeps the result in
 * memory. Measured: 1.0 to 1.1 MB, of which 800 KB are the result. The rest is of the last sweep
 * alone: buffers that do not grow with the number of sweeps.
 */
const LEFT_WITH_VALUES = 1_600_000

let folder: string
const nodes: NodeProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-submitter-'))
  mkdirSync(join(folder, 'live'))
})
afterEach(async () => {
  await Promise.all(nodes.splice(0).map(async ({ child }) => await end(child, 10_000)))
  rmSync(folder, { recursive: true })
})

async function start(command: 'join' | 'work', args: readonly string[], onLine: (line: Line) => void = () => {}): Promise<NodeProcess> {
  const env = { XDG_CACHE_HOME: join(folder, command), XDG_CONFIG_HOME: join(folder, 'config'), ...measuredEnv(join(folder, 'live')) }
  const introducer = nodes[0]?.address
  const started = await startNode(
    { bin: jelBin, command, pool: 'submitter', introducer, args: ['--listen', '127.0.0.1:0', '--no-control', ...args], env },
    { line: (_, line) => onLine(line), complaint: () => {}, ended: () => {} },
  )
  nodes.push(started)
  return started
}

/** Returns the live bytes of a node. */
function memoryOf({ child: { pid = 0 } }: NodeProcess): number {
  return liveMemoryOf(join(folder, 'live'), pid) ?? NaN
}

it('sweeps leave their results at the node through which they were submitted, and little else', { timeout: 300_000 }, async () => {
  const file = join(folder, 'model.js')
  writeFileSync(file, 'export const lengthOf = ({ text }) => text.length\nexport const echo = ({ text }) => text\n')
  let ended: ((line: Line) => void) | undefined
  await start('work', ['--workers', '2', '--accept', 'sandbox'])
  const node = await start('join', [], (line) => {
    // A second `done` says that the command is carried out.
    if (line.result !== undefined || ['failed', 'error'].includes(line.event)) ended?.(line)
  })
  let sweeps = 0
  const sweep = async (name: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<Line>()
    ended = resolve
    const id = ++sweeps
    // Each input differs, also from those of other sweeps.
    const inputs = Array.from({ length: INPUTS }, (_, number) => ({ text: `${id} ${number} `.padEnd(LENGTH, 'x') }))
    node.child.stdin.write(`${JSON.stringify({ command: 'map', id, file, function: name, inputs, until: 'ended' })}\n`)
    expect(await promise).toMatchObject({ event: 'done', result: { length: INPUTS } })
  }
  /** Returns the live bytes that each of some sweeps leaves. */
  const leftBy = async (name: string): Promise<number> => {
    const before = memoryOf(node)
    for (let round = 0; round < SWEEPS; round++) await sweep(name)
    await delay(SETTLED)
    return (memoryOf(node) - before) / SWEEPS
  }
  // The first sweep loads the code for jobs.
  await sweep('lengthOf')
  await delay(SETTLED)
  expect(await leftBy('lengthOf')).toBeLessThan(LEFT)
  expect(await leftBy('echo')).toBeLessThan(LEFT_WITH_VALUES)
})
