/** A program whose node runs in a worker thread, and which ends by itself once it has left. */
import { joinPool } from '../src/index.ts'

const pool = await joinPool('alone', { thread: 'worker', listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false })
await pool.leave()
