/**
 * A process with one member. It takes orders over IPC, and answers each. As a producer it has 20
 * attributes that count how often they are measured. As a consumer it counts samples.
 */
import { joinPool } from '@jel/jel'
import { monitor } from '@jel/monitor'

const ATTRIBUTES = Array.from({ length: 20 }, (_, at) => `value.number_${at}`)

const [name = '', ...bootstrap] = process.argv.slice(2)
const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap })
const watched = await monitor(pool)
let [runs, ranAt, samples, lost, endedAt] = [0, 0, 0, 0, 0]
for (const attribute of ATTRIBUTES) {
  const read = (): number => {
    runs++
    ranAt = Date.now()
    return Math.random()
  }
  watched.attribute(attribute, { read, ttl: 0 })
}

async function follow(member: string, every: number): Promise<void> {
  for await (const event of watched.watch({ attributes: ATTRIBUTES, every, from: { ids: [member] } })) {
    if (event.type === 'sample') samples++
    else if (event.type === 'lost') lost += event.count
    else if (event.type === 'ended') endedAt = Date.now()
  }
}

process.on('message', (order: { readonly watch?: string; readonly every?: number; readonly leave?: true }) => {
  if (order.leave === true) {
    void pool.leave().then(() => process.exit())
    return
  }
  if (order.watch !== undefined) void follow(order.watch, order.every ?? 1000)
  void (async () => {
    const { user, system } = process.cpuUsage()
    const { sent } = await pool.traffic()
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    process.send?.({
      runs,
      ranAt,
      samples,
      lost,
      endedAt,
      processor: (user + system) / 1000,
      sent,
      memory: heapUsed + external,
      members: pool.members().length,
    })
  })()
})
process.on('disconnect', () => process.exit())
process.send?.({ id: pool.self.id, address: pool.self.addresses[0] })
