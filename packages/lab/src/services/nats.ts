/**
 * Measures a cluster of three NATS servers with JetStream's key-value store, for comparison with
 * replicated services.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { median } from '../base/quantiles.ts'
import { connection, freePort } from '../base/server.ts'
import { soon, until } from '../base/wait.ts'

const SERVERS = 3
/** A put without an answer is repeated after this time, ms. */
const PUT_AGAIN = 100
/** Longest wait for the cluster, ms. A guess. */
const MAX_WAIT = 60_000
const STREAM = 'KV_bench'

/**
 * The medians of a request and of a put, ms, and the time from each SIGKILL of the leader until the
 * next put is there, ms.
 */
export interface NatsFigures {
  readonly request: number
  readonly put: number
  readonly failOver: readonly number[]
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
    let socket: Socket | undefined
    await until(async () => (socket = await connection(port)) !== undefined, MAX_WAIT, 50)
    if (socket === undefined) throw new Error('nats-server did not start')
    return new Client(socket)
  }

  /** Answers all requests to a subject. */
  serve(subject: string, answer: string): void {
    this.#subscribed = { subject, answer }
    this.#socket.write(`SUB ${subject} 2\r\n`)
  }

  /** Returns undefined if no answer came in time. */
  async request(subject: string, payload: string, timeout: number): Promise<string | undefined> {
    const reply = `${this.#inbox}.${++this.#count}`
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#waiting.set(reply, resolve)
    this.#socket.write(`PUB ${subject} ${reply} ${payload.length}\r\n${payload}\r\n`)
    const answer = await soon(timeout, undefined, promise)
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
    await ready(
      async () =>
        (await one.request(`$JS.API.STREAM.CREATE.${STREAM}`, JSON.stringify(config), 2000))?.includes('"did_create":true') === true,
    )
    const request = await timeOf(calls, async () => await one.request('echo', 'x'.repeat(10), 5000))
    const put = await timeOf(calls, async () => await one.request('$KV.bench.key', 'x'.repeat(10), 5000))
    const failOver: number[] = []
    for (let at = 0; at < kills; at++) {
      let leader: Server | undefined
      const asking = await clientOf(servers[at % SERVERS] as Server)
      await ready(async () => {
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
      await ready(async () => (await writer.request('$KV.bench.key', 'before', 1000)) !== undefined)
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

/** Returns the median time of a call, ms. */
async function timeOf(count: number, call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let at = 0; at < count + 20; at++) {
    const begin = performance.now()
    await call()
    if (at >= 20) times.push(performance.now() - begin)
  }
  return median(times)
}

async function ready(condition: () => Promise<boolean>): Promise<void> {
  if (!(await until(condition, MAX_WAIT, 100))) throw new Error('the cluster of NATS servers is not ready')
}
