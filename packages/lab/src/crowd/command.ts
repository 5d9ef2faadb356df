/**
 * Measures the cost of one standalone node in a pool of thousands.
 *
 *     pnpm lab crowd --members 10000
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateIdentity } from '@jel/overlay'
import { end, takeChildrenAlong } from '../base/child.ts'
import { startNode } from '../swarm/node-process.ts'
import { jelBin } from '../base/paths.ts'
import { positive, command, type Values, whole } from '../base/program.ts'
import { usageOfAll } from '../base/usage.ts'
import { DormantPool } from './dormant-pool.ts'

const USAGE = `pnpm lab crowd [options]

  --members 10000   members of the pool, the measured node among them
  --settle 90       seconds between its start and the measurement
  --idle 60         seconds that are measured
`

const options = {
  members: { type: 'string', default: '10000' },
  settle: { type: 'string', default: '90' },
  idle: { type: 'string', default: '60' },
} as const

async function main(values: Values<typeof options>): Promise<number> {
  const members = whole('members', values.members, 2)
  const settle = positive('settle', values.settle)
  const idle = positive('idle', values.idle)
  takeChildrenAlong()
  const folder = mkdtempSync(join(tmpdir(), 'jel-crowd-'))
  // It contains keys.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const pool = new DormantPool(folder)
  try {
    const identity = join(folder, 'newcomer.json')
    const id = await generateIdentity(identity)
    await pool.settle(id, members - 1)
    let [known, died] = [0, 0]
    const whole = Promise.withResolvers<number>()
    const node = await startNode(
      { bin: jelBin, pool: pool.pool, args: ['--listen', '/ip4/127.0.0.1/tcp/0', '--identity', identity, '--bootstrap', pool.address] },
      {
        line: (_, { event, time }) => {
          if (event === 'joined') known += 1
          if (event === 'died') died += 1
          if (known >= members) whole.resolve(time)
        },
        complaint: (_, text) => console.error(text),
        ended: (_, how) => whole.reject(new Error(`the node ended: ${how}`)),
      },
    )
    const pids = [node.child.pid ?? 0]
    const knewAll = await whole.promise
    const entering = usageOfAll(pids)
    await sleep(settle * 1_000)
    const [before, start] = [usageOfAll(pids), performance.now()]
    await sleep(idle * 1_000)
    const [after, took] = [usageOfAll(pids), performance.now() - start]
    console.log(`${members} members, one standalone node:
  knew all ${knewAll - node.entered} ms after it had entered, ${(entering.processor / 1_000).toFixed(1)} s of processor time since its start
  idle: ${(((after.processor - before.processor) / took) * 100).toFixed(2)} % of a core, ${(after.memory / 2 ** 20).toFixed(0)} MB resident
  ${died} members reported dead, ${pool.awake} members were dialled`)
    await end(node.child, 5_000)
    return 0
  } finally {
    await pool.stop()
  }
}

export const experiment = command(USAGE, options, main)
