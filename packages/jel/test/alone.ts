/** A program whose node runs in a worker thread. It ends by itself after the node has left. */
import { joinPool } from '../src/index.ts'

const pool = await joinPool('alone', { thread: 'worker', listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false })
await pool.leave()
