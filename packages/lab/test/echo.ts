/**
 * A host's TCP program in the test of distances: `echo.ts serve PORT`, or
 * `echo.ts ask ADDRESS PORT`, which prints its measurements.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** ms; the payload is the echo of a megabyte. */
export interface Measured {
  readonly connecting: number
  readonly roundTrips: readonly number[]
  readonly refused: { readonly code: string; readonly after: number }
  readonly payload: { readonly isWhole: boolean; readonly took: number }
}

const [mode, address = '', port = ''] = process.argv.slice(2)

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

async function open(host: string, number: number): Promise<Socket> {
  const socket = connect(number, host).setNoDelay()
  await once(socket, 'connect')
  return socket
}

async function ask(host: string, number: number): Promise<Measured> {
  // Both hosts learn each other's hardware address.
  ;(await open(host, number)).destroy()
  const begun = performance.now()
  const socket = await open(host, number)
  const connecting = performance.now() - begun
  const roundTrips: number[] = []
  for (let turn = 0; turn < 5; turn++) {
    roundTrips.push(
      await timed(async () => {
        socket.write('x')
        await once(socket, 'data')
      }),
    )
  }
  socket.destroy()
  const start = performance.now()
  const error = await open(host, number + 1).then(
    () => ({ code: 'none' }),
    (error: unknown) => error as NodeJS.ErrnoException,
  )
  return {
    connecting,
    roundTrips,
    refused: { code: error.code ?? '', after: performance.now() - start },
    payload: await payload(host, number),
  }
}

/** A megabyte there and back. */
async function payload(host: string, number: number): Promise<Measured['payload']> {
  const socket = await open(host, number)
  const sent = Buffer.from(Array.from({ length: 250_000 }, (_, index) => index.toString(36).padStart(4, '0')).join(''))
  const hash = createHash('sha256')
  const took = await timed(async () => {
    socket.end(sent)
    for await (const part of socket) hash.update(part as Buffer)
  })
  return { isWhole: hash.digest('hex') === createHash('sha256').update(sent).digest('hex'), took }
}

if (mode === 'serve') {
  createServer({ allowHalfOpen: true, noDelay: true }, (socket) => socket.on('error', () => {}).pipe(socket)).listen(Number(address), () =>
    console.log('listening'),
  )
} else {
  console.log(JSON.stringify(await ask(address, Number(port))))
}
