/** The same questions to a cluster of three NATS servers with JetStream's key-value store. */
import { spawn, type ChildProcess } from 'node:child_process'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const SERVERS = 3
/** A put without an answer is repeated after this time, ms. */
const PUT_AGAIN = 100
/** Longest wait for the cluster, ms. A guess. */
const MAX_WAIT = 60_000
const STREAM = 'KV_bench'

/**
 * The medians, ms, and the worst time from SIGKILL of the leader until the next put is there, ms.
 */
export interface NatsFigures {
  readonly request: number
  readonly put: number
  readonly failOver: readonly number[]
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

class Server {
  readonly name: string
  readonly port: number
  readonly #args: readonly string[]
  child: ChildProcess

  constructor(name: string, port: number, args: readonly string[]) {
    this.name = name
    this.port = port
    this.#args = args
    this.child = this.#start()
  }

  restart(): void {
    this.child = this.#start()
  }

  #start(): ChildProcess {
    return spawn('nats-server', this.#args, { stdio: 'ignore' })
  }
}

/** A client that speaks NATS' text protocol: as much of it as is measured. */
class Client {
  readonly #socket: Socket
  readonly #inbox = `_INBOX.${crypto.randomUUID()}`
  readonly #waiting = new Map<string, (payload: string) => void>()
  #subscribed: { readonly subject: string; readonly answer: string } | undefined
  #text = ''
  #count = 0

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => this.#read(text))
    socket.on('error', () => {})
    socket.write('CONNECT {"verbose":false,"pedantic":false}\r\n')
    socket.write(`SUB ${this.#inbox}.* 1\r\n`)
  }

  static async connect(port: number): Promise<Client> {
    for (const end = Date.now() + MAX_WAIT; ;) {
      const socket = connect(port, '127.0.0.1')
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true))
        socket.once('error', () => resolve(false))
      })
      if (isOpen) return new Client(socket)
      if (Date.now() > end) throw new Error('nats-server did not start')
      await sleep(50)
    }
  }

  /** Answers all requests to a subject. */
  serve(subject: string, answer: string): void {
    this.#subscribed = { subject, answer }
    this.#socket.write(`SUB ${subject} 2\r\n`)
  }

  /** Returns undefined if no answer came in time. */
  async request(subject: string, payload: string, timeout: number): Promise<string | undefined> {
    const reply = `${this.#inbox}.${++this.#count}`
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.#waiting.set(reply, resolve)
    const timer = setTimeout(() => resolve(undefined), timeout)
    this.#socket.write(`PUB ${subject} ${reply} ${payload.length}\r\n${payload}\r\n`)
    const answer = await promise
    clearTimeout(timer)
    this.#waiting.delete(reply)
    return answer
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(text: string): void {
    this.#text += text
    for (let end = this.#text.indexOf('\r\n'); end !== -1; end = this.#text.indexOf('\r\n')) {
      const [kind, subject = '', ...rest] = this.#text.slice(0, end).split(' ')
      if (kind === 'PING') this.#socket.write('PONG\r\n')
      if (kind !== 'MSG') {
        this.#text = this.#text.slice(end + 2)
        continue
      }
      const length = Number(rest.at(-1))
      if (this.#text.length < end + 4 + length) return
      const payload = this.#text.slice(end + 2, end + 2 + length)
      this.#text = this.#text.slice(end + 4 + length)
      const [, reply] = rest
      if (subject === this.#subscribed?.subject && rest.length === 3)
        this.#socket.write(`PUB ${reply} ${this.#subscribed.answer.length}\r\n${this.#subscribed.answer}\r\n`)
      else this.#waiting.get(subject)?.(payload)
    }
  }
}

export async function nats(folder: string, calls: number, kills: number): Promise<NatsFigures> {
  const ports = await Promise.all(Array.from({ length: 2 * SERVERS }, freePort))
  const routes = ports.slice(SERVERS).map((port) => `nats://127.0.0.1:${port}`)
  const servers = ports.slice(0, SERVERS).map((port, at) => {
    const cluster = ['--cluster_name', 'bench', '--cluster', routes[at] as string, '--routes', routes.join(',')]
    return new Server(`n${at}`, port, [
      '-a',
      '127.0.0.1',
      '-p',
      `${port}`,
      '-n',
      `n${at}`,
      '-js',
      '-sd',
      join(folder, `n${at}`),
      ...cluster,
    ])
  })
  const clients: Client[] = []
  const clientOf = async (server: Server): Promise<Client> => {
    const client = await Client.connect(server.port)
    clients.push(client)
    return client
  }
  try {
    const [one, other] = [await clientOf(servers[0] as Server), await clientOf(servers[1] as Server)]
    other.serve('echo', 'x'.repeat(10))
    const config = {
      name: STREAM,
      subjects: ['$KV.bench.>'],
      num_replicas: SERVERS,
      max_msgs_per_subject: 1,
      storage: 'memory',
      allow_rollup_hdrs: true,
    }
    await until(async () =>
      (await one.request(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(config), 2000))?.includes('"did_create":true'),
    )
    const request = await median(calls, async () => await one.request('echo', 'x'.repeat(10), 5000))
    const put = await median(calls, async () => await one.request('$KV.bench.key', 'x'.repeat(10), 5000))
    const failOver: number[] = []
    for (let at = 0; at < kills; at++) {
      let leader: Server | undefined
      const asking = await clientOf(servers[at % SERVERS] as Server)
      await until(async () => {
        const info = await asking.request(`$JS.API.STREAM.INFO.${STREAM}`, '', 1000)
        const { cluster } = JSON.parse(info ?? '{}') as {
          cluster?: { leader?: string; replicas?: readonly { current: boolean; offline?: boolean }[] }
        }
        leader = servers.find(({ name }) => name === cluster?.leader)
        return (
          leader !== undefined && (cluster?.replicas ?? []).filter((each) => each.current && each.offline !== true).length === SERVERS - 1
        )
      })
      const killed = leader as unknown as Server
      const writer = await clientOf(servers.find((each) => each !== killed) as Server)
      await until(async () => await writer.request('$KV.bench.key', 'before', 1000))
      const begin = performance.now()
      killed.child.kill('SIGKILL')
      while ((await writer.request('$KV.bench.key', `${at}`, PUT_AGAIN))?.includes('"seq"') !== true)
        if (performance.now() - begin > MAX_WAIT) break
      failOver.push(performance.now() - begin)
      killed.restart()
    }
    return { request, put, failOver }
  } finally {
    for (const client of clients) client.close()
    for (const { child } of servers) child.kill('SIGKILL')
  }
}

async function median(count: number, call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < count + 20; at++) {
    const begin = performance.now()
    await call()
    if (at >= 20) times.push(performance.now() - begin)
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN
}

async function until(condition: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + MAX_WAIT
  while (Date.now() < end) {
    const holds = await condition()
    if (holds !== false && holds !== undefined) return
    await sleep(100)
  }
  throw new Error('the cluster of NATS servers is not ready')
}
