/** Measures the cost of one standalone node in a pool of thousands. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateIdentity } from '@jel/overlay'
import { end } from '../base/child.ts'
import { jelBin } from '../base/paths.ts'
import { rates } from '../base/rates.ts'
import { seconds, whole } from '../base/settings.ts'
import { usageOfAll } from '../base/usage.ts'
import { bench } from '../bench/bench.ts'
import { startNode } from '../swarm/start-node.ts'
import { DormantPool } from './dormant-pool.ts'

export const experiment = bench({
  about: 'one node in a pool of thousands',
  settings: {
    members: whole(10_000, 'members of the pool, with the measured node', 2),
    settle: seconds(90, 'seconds between the time when the node knows all members and the measurement'),
    idle: seconds(60, 'seconds over which idle cost is measured'),
  },
  async measure({ members, settle, idle }, { folder }) {
    const pool = new DormantPool(folder)
    try {
      const identity = join(folder, 'newcomer.json')
      await pool.settle(await generateIdentity(identity), members - 1)
      let [known, died] = [0, 0]
      const whole = Promise.withResolvers<number>()
      const node = await startNode(
        { bin: jelBin, pool: pool.pool, introducer: pool.address, args: ['--listen', '/ip4/127.0.0.1/tcp/0', '--identity', identity] },
        {
          line: (_, { event, time }) => {
            if (event === 'joined') known += 1
            if (event === 'died') died += 1
            if (known >= members) whole.resolve(time)
          },
          complaint: (text) => console.error(text),
          ended: (_, how) => whole.reject(new Error(`the node ended: ${how}`)),
        },
      )
      const pids = [node.child.pid ?? 0]
      const knewAll = (await whole.promise) - node.entered
      const entering = usageOfAll(pids)
      await sleep(settle)
      const { processor } = await rates(
        () => ({ processor: usageOfAll(pids).processor }),
        () => sleep(idle),
      )
      const { memory } = usageOfAll(pids)
      await end(node.child, 5_000)
      return { members, knewAll, entering, percent: processor / 10, memory, died, awake: pool.awake }
    } finally {
      await pool.stop()
    }
  },
  table: ({ members, knewAll, entering, percent, memory, died, awake }) => `${members} members, one standalone node:
  knew all ${knewAll} ms after it had entered, ${(entering.processor / 1_000).toFixed(1)} s of processor time since its start
  idle: ${percent.toFixed(2)} % of a core, ${(memory / 2 ** 20).toFixed(0)} MB resident
  ${died} members reported dead, ${awake} members were dialled`,
})
