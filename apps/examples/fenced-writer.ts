/**
 * Counts in a file, one writer at a time. Start it several times on one machine. The first node
 * founds the ledger, and prints its address. Give this address to the other nodes.
 *
 *     node fenced-writer.ts counter.db
 *     node fenced-writer.ts counter.db /ip4/127.0.0.1/tcp/4001/p2p/12D3KooW…
 */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinPool } from '@jel/jel'

const [file = 'counter.db', ...bootstrap] = process.argv.slice(2)

// The resource. Each statement is one atomic step of SQLite, for all processes.
const store = new DatabaseSync(file)
const BUSY = 5
/** Runs a step. Tries it again while another process holds the lock of the database. */
async function step<Result>(run: () => Result): Promise<Result> {
  for (;;) {
    try {
      return run()
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY) throw error
      await sleep(100)
    }
  }
}
const tables = `
  CREATE TABLE IF NOT EXISTS counter (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, value INTEGER NOT NULL);
  INSERT OR IGNORE INTO counter VALUES (1, 0, 0)`
await step(() => store.exec(tables))
const raise = store.prepare('UPDATE counter SET epoch = :epoch WHERE epoch < :epoch')
const read = store.prepare('SELECT value FROM counter')
const write = store.prepare('UPDATE counter SET value = :value WHERE epoch = :epoch')

const pool = await joinPool('counting', {
  elections: 'uniform',
  ledger: { found: bootstrap.length === 0 },
  bootstrap,
  listen: ['127.0.0.1:0'],
})
console.log('address', pool.self.addresses[0])

for (;;) {
  const { winner, epoch } = await pool.elect('writer')
  if (winner.id === pool.self.id) {
    // Raises the fence before it reads. So no older reign can write between the read and the first
    // write.
    await step(() => raise.run({ epoch }))
    let { value } = (await step(() => read.get())) as { value: number }
    while ((await step(() => write.run({ value: value + 1, epoch }))).changes === 1) {
      value += 1
      console.log('wrote', value, 'in epoch', epoch)
      await sleep(50)
    }
    console.log('refused in epoch', epoch)
  }
  await sleep(200)
}
