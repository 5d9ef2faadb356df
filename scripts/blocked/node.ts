/** A process with an application in it that blocks its thread when it is told to. */
import { joinPool, type Pool } from '@jel/jel'
import type { Order, Part, Word } from './words.ts'

const { pool, nodes, thread, bootstrap } = JSON.parse(process.argv[2] ?? '') as Part
const pools: Pool[] = []

function say(word: Word): void {
  if (process.connected) process.send?.(word)
}

async function read(one: Pool): Promise<void> {
  const { id } = one.self
  one.addEventListener('signal', ({ detail }) => {
    say({ word: 'seen', id, seen: { type: 'signal', subject: detail.name, time: Date.now() } })
  })
  for await (const { type, member } of one.changes()) {
    say({ word: 'seen', id, seen: { type, subject: `${member.id}/${member.incarnation}`, time: Date.now() } })
  }
}

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case 'block': {
      say({ word: 'blocking' })
      const end = performance.now() + order.ms
      let sum = 0
      while (performance.now() < end) sum = (sum + 1) % 1000 // computes, and never yields
      say({ word: 'back' })
      return
    }
    case 'signal':
      for (let i = 0; i < order.count; i++) await pools[0]?.signal(`${i}`, order.to)
      say({ word: 'signalled' })
      return
    case 'leave':
      await Promise.all(pools.map((one) => one.leave()))
      say({ word: 'left' })
      process.disconnect()
  }
}

process.once('disconnect', () => setTimeout(() => process.exit(1), 5000).unref())
process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => say({ word: 'failed', message: error instanceof Error ? error.message : String(error) }))
})
for (let i = 0; i < nodes; i++) {
  const known = bootstrap.length > 0 ? bootstrap : (pools[0]?.self.addresses ?? [])
  pools.push(await joinPool(pool, { thread, bootstrap: known, listen: ['/ip4/127.0.0.1/tcp/0'], location: 'blocked' }))
}
for (const one of pools) read(one).catch((error: unknown) => say({ word: 'failed', message: String(error) }))
say({ word: 'joined', ids: pools.map(({ self }) => self.id), addresses: pools.flatMap(({ self }) => self.addresses.slice(0, 1)) })
