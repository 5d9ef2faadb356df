/**
 * The two ends of the transfers. Each end is a process on a host of the laboratory. Both use the
 * machine's monotonic clock.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

const port = 9_000
const now = (): number => Number(process.hrtime.bigint()) / 1e6

/** Prints the time of each transfer until the arrival of its last byte, one a line, ms. */
function receive(): void {
  createServer((socket: Socket) => {
    let [length, start, got] = [0, 0, 0]
    socket.on('data', (bytes) => {
      if (got === 0) [length, start] = [bytes.readUInt32BE(0), bytes.readDoubleBE(4)]
      got += bytes.length
      if (got < length) return
      console.log(now() - start)
      socket.end()
    })
    socket.on('error', () => {})
  }).listen(port, () => console.log('ready'))
}

async function transfer(host: string, length: number): Promise<void> {
  const socket = connect({ host, port, noDelay: true })
  await once(socket, 'connect')
  const bytes = Buffer.alloc(length)
  bytes.writeUInt32BE(length, 0)
  bytes.writeDoubleBE(now(), 4)
  socket.write(bytes)
  socket.resume()
  await once(socket, 'close')
}

async function send(host: string, length: number, runs: number, atOnce: number): Promise<void> {
  let left = runs
  const one = async (): Promise<void> => {
    while (left-- > 0) await transfer(host, length)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

const [, , host, length, runs, atOnce] = process.argv
if (host === undefined) receive()
else await send(host, Number(length), Number(runs), Number(atOnce))
