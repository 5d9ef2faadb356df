/**
 * A process with one member that has the example services. It states its number of notes as an
 * attribute. It ends with its parent, and its services at the message `close`.
 */
import { joinPool } from '@jel/jel'
import { monitor } from '@jel/monitor'
import { brokerService } from '../examples/broker.ts'
import { instancesService } from '../examples/instances.ts'
import { service } from '../src/index.ts'

const [name = '', location = '', ...bootstrap] = process.argv.slice(2)
const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap, location })
const broker = await service(pool, 'broker', brokerService)
const notes = await service(pool, 'notes', instancesService)
const attributes = await monitor(pool)
attributes.attribute('notes.operations', { ttl: 0, read: () => notes.status?.operations ?? 0 })
process.on('message', () => void Promise.all([broker.close(), notes.close()]))
process.on('disconnect', () => process.exit())
process.send?.({ id: pool.self.id, address: pool.self.addresses[0] })
