/** One process with some nodes in it. Runs as a child of the soak. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@jel/jel'
import { census } from './census.ts'
import { ACT_EVERY, SAMPLE_EVERY, type Lease, type Word } from './plan.ts'
import { act, moveIn } from './tenant.ts'

// As the command line and the thread of a node do.
Buffer.poolSize = 8192

const { house, pool, bootstrap } = JSON.parse(process.argv[2] ?? '') as Lease
const tenants: Pool[] = []

function say(word: Word): void {
  if (process.connected) process.send?.(word)
}

async function every(seconds: number, action: () => void | Promise<void>): Promise<never> {
  for (;;) {
    await delay(seconds * 1000)
    try {
      await action()
    } catch (error) {
      say({ trouble: error instanceof Error ? `${error.name}: ${error.message}` : String(error) })
    }
  }
}

// Without its parent a house has no one to live for.
process.once('disconnect', () => process.exit())
process.on('unhandledRejection', (error) => {
  say({ trouble: `unhandled: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` })
})

for (let i = 0; i < house.nodes; i++) {
  const known = tenants[0]?.self.addresses[0]
  tenants.push(await moveIn(pool, bootstrap.length > 0 ? bootstrap : known === undefined ? [] : [known]))
}
say({ ready: tenants.flatMap((tenant) => tenant.self.addresses.slice(0, 1)) })
void every(SAMPLE_EVERY, () => say({ sample: census(tenants) }))
void every(ACT_EVERY, async () => {
  const tenant = tenants[Math.floor(Math.random() * tenants.length)]
  if (tenant !== undefined) await act(tenant)
})
if (house.moves !== undefined) {
  void every(house.moves, async () => {
    const leaving = tenants.shift()
    const introducer = tenants[0]?.self.addresses[0]
    await leaving?.leave()
    tenants.push(await moveIn(pool, introducer === undefined ? bootstrap : [introducer]))
  })
}
