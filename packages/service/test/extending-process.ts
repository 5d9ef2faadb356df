/**
 * A process with one member that makes a note and extends its lifetime until the process is killed.
 * It sends the handle, and then the time before each extension that was answered.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { joinPool } from '@jel/jel'
import { create, invoke } from '../examples/instances.ts'
import { serviceClient } from '../src/index.ts'

const [name = '', lifetime = '', ...bootstrap] = process.argv.slice(2)
const pool = await joinPool(name, { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap })
const client = serviceClient(pool)
process.on('disconnect', () => process.exit())
const handle = await create(client, name, 'notes', { text: 'mine' }, Number(lifetime))
process.send?.({ handle })
for (;;) {
  const at = Date.now()
  await invoke(client, handle, 'extend', { for: Number(lifetime) })
  process.send?.({ at })
  await sleep(Number(lifetime) / 5)
}
