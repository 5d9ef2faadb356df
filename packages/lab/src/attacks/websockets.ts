/** Attacks on the port for browsers, before any handshake of libp2p. */
import { connect, type Socket } from 'node:net'
import { soon } from '../base/wait.ts'
import type { Attack } from './trial.ts'

/** A request for a WebSocket, of a page of this origin. */
const upgrade = (port: number, origin: string): string =>
  [
    'GET /ws HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    `Origin: ${origin}`,
    '',
    '',
  ].join('\r\n')
const ownOrigin = (port: number): string => `http://127.0.0.1:${port}`

/** Opens a socket. Resolves with its first answer; an empty text: it ended before. */
async function ask(port: number, request: string, within = 2_000): Promise<{ readonly socket: Socket; readonly answer: string }> {
  const socket = connect({ host: '127.0.0.1', port })
  const { promise, resolve } = Promise.withResolvers<string>()
  socket.on('error', () => {})
  socket.once('data', (data) => resolve(data.toString('latin1')))
  socket.once('close', () => resolve(''))
  socket.write(request)
  return { socket, answer: await soon(within, '', promise) }
}

const MASK = [0, 0, 0, 0]
/** Beginnings of frames that no browser sends. `more`: bytes that continue the frame for ever. */
const BAD: readonly { readonly head: Uint8Array; readonly more?: Uint8Array }[] = [
  { head: Uint8Array.of(0x83, 0x80, ...MASK) }, // an unknown kind of frame
  { head: Uint8Array.of(0x82, 0x05, 1, 2, 3, 4, 5) }, // without a mask
  // 100 MiB
  { head: Uint8Array.of(0x82, 0xff, 0, 0, 0, 0, 6, 0x40, 0, 0, ...MASK), more: new Uint8Array(65_536) },
  // fragments without end
  {
    head: Uint8Array.of(0x02, 0x81, ...MASK, 7),
    more: Uint8Array.from({ length: 700 }, (_, i) => [0x00, 0x81, 0, 0, 0, 0, 7][i % 7] ?? 0),
  },
  { head: Uint8Array.of(0x81, 0x82, ...MASK, 0xc3, 0x28) }, // text, and not UTF-8
  { head: Uint8Array.of(0xf2, 0x81, ...MASK, 7) }, // reserved bits
  { head: Uint8Array.from({ length: 4_096 }, () => Math.floor(Math.random() * 256)) },
]
/** Bytes for one frame without end. */
const LONG = 110_000_000

const malformedFrames: Attack = {
  name: 'malformed WebSocket frames',
  does: 'opens WebSockets and sends malformed frames, frames of 100 MiB, fragments without end and random bytes',
  bound: 'each such frame ends its socket, no node keeps its bytes, and no node ends',
  staysOpen: true,
  run: async ({ pool, isOver, sleep, breach }) => {
    let [came, most] = [0, 0]
    while (!isOver()) {
      const port = pool.webPort(came)
      const { socket, answer } = await ask(port, upgrade(port, ownOrigin(port)))
      const { head, more } = BAD[came++ % BAD.length]!
      if (!answer.startsWith('HTTP/1.1 101')) continue
      const before = socket.bytesWritten
      socket.write(head)
      for (let sent = 0; sent < LONG && !socket.destroyed && !isOver(); sent += more?.length ?? LONG) {
        if (more !== undefined && !socket.write(more))
          await Promise.race([sleep(100), new Promise((resolve) => socket.once('drain', resolve))])
      }
      const taken = socket.bytesWritten - before
      await sleep(200)
      most = Math.max(most, taken)
      if (!socket.destroyed && !isOver()) breach(`a socket stayed open after bad frame ${(came - 1) % BAD.length}`)
      socket.destroy()
    }
    return `${came} sockets, each ended; at most ${(most / 1e6).toFixed(1)} MB on their way in one`
  },
}

/** Sockets that the attacker keeps open in each of three states. The port holds fewer in all. */
const WAITING = 400
const MOST = 1_024

const halfOpen: Attack = {
  name: 'half-open WebSockets',
  does: `keeps ${3 * WAITING} sockets of the port for browsers busy: without a request, with half a request, and with a WebSocket that says nothing`,
  bound: `the port answers others, and holds at most ${MOST} sockets`,
  staysOpen: true,
  run: async ({ pool, isOver, sleep, breach }) => {
    const port = pool.webPort(0)
    const requests = ['', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ', upgrade(port, ownOrigin(port))]
    const open = new Set<Socket>()
    let [came, answered, asked] = [0, 0, 0]
    const fill = async (): Promise<void> => {
      while (!isOver()) {
        if (open.size >= requests.length * WAITING) await sleep(50)
        else {
          const socket = connect({ host: '127.0.0.1', port })
          socket.on('error', () => {}).resume()
          socket.once('close', () => open.delete(socket))
          open.add(socket)
          socket.write(requests[came++ % requests.length] ?? '')
          await sleep(1)
        }
      }
    }
    const browse = async (): Promise<void> => {
      while (!isOver()) {
        const { socket, answer } = await ask(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
        asked++
        if (answer.startsWith('HTTP/1.1 ')) answered++
        socket.destroy()
        await sleep(200)
      }
    }
    await Promise.all([fill(), browse()])
    if (answered < asked / 2) breach(`${answered} of ${asked} requests of others were answered`)
    const left = open.size
    if (left > MOST) breach(`${left} sockets were open`)
    for (const socket of open) socket.destroy()
    return `${came} sockets, ${left} of them open at the end; ${answered} of ${asked} requests of others answered`
  },
}

const foreignPages: Attack = {
  name: 'pages of other sites',
  does: 'asks for WebSockets as a page of another site, of a name that leads here, and of a file does',
  bound: 'none gets one',
  staysOpen: true,
  run: async ({ pool, isOver, breach }) => {
    let [asked, refused] = [0, 0]
    while (!isOver()) {
      const port = pool.webPort(asked)
      const origins = ['http://evil.example', `http://rebound.example:${port}`, 'null', 'https://evil.example', 'http://203.0.113.7']
      const { socket, answer } = await ask(port, upgrade(port, origins[asked++ % origins.length] ?? ''))
      socket.destroy()
      if (answer.startsWith('HTTP/1.1 101')) breach('a page of another site got a WebSocket')
      else refused++
    }
    return `${refused} of ${asked} refused`
  },
}

export const onWebSockets: readonly Attack[] = [malformedFrames, halfOpen, foreignPages]
