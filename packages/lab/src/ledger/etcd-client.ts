/** A client of etcd's JSON gateway: as much of its third API as is measured. */
import { Agent, request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'

/** A reign as etcd knows it. Its epoch is the revision that created the winner's key. */
export interface EtcdReign {
  readonly epoch: number
  readonly winner: string
}

/** The fields of answers that this package uses. The gateway writes whole numbers as texts. */
interface Answer {
  readonly header?: { readonly revision?: string; readonly member_id?: string }
  readonly ID?: string
  readonly leader?: string
  readonly kvs?: readonly { readonly key: string; readonly mod_revision: string }[]
  readonly kv?: { readonly value?: string; readonly create_revision?: string }
  readonly error?: string
}

export class EtcdClient {
  readonly #address: string
  readonly #port: number
  readonly #agent = new Agent({ keepAlive: true })

  constructor(port: number, address = '127.0.0.1') {
    this.#port = port
    this.#address = address
  }

  /** Returns the revision of the put, which is its place among all changes. */
  async put(key: string, value: string, signal?: AbortSignal): Promise<number> {
    return Number((await this.#post('kv/put', { key: base64(key), value: base64(value) }, signal)).header?.revision)
  }

  /** Returns the id of a lease. */
  async grant(seconds: number): Promise<string> {
    return (await this.#post('lease/grant', { TTL: seconds })).ID ?? ''
  }

  async keepAlive(lease: string): Promise<void> {
    await this.#post('lease/keepalive', { ID: lease })
  }

  /** Waits until this lease holds the election. */
  async campaign(election: string, lease: string, value: string, signal?: AbortSignal): Promise<void> {
    await this.#post('election/campaign', { name: base64(election), lease, value: base64(value) }, signal)
  }

  /** Calls `told` with each reign of the election, until the server or the signal ends that. */
  async observe(election: string, told: (reign: EtcdReign) => void, signal: AbortSignal): Promise<void> {
    const response = await this.#open('election/observe', { name: base64(election) }, signal)
    for await (const line of createInterface({ input: response })) {
      const { kv } = (JSON.parse(line) as { result?: Answer }).result ?? {}
      if (kv !== undefined) told({ epoch: Number(kv.create_revision), winner: Buffer.from(kv.value ?? '', 'base64').toString() })
    }
  }

  /** Returns the ids of this server and of its leader. */
  async status(signal?: AbortSignal): Promise<{ readonly id: string; readonly leader: string }> {
    const { header, leader } = await this.#post('maintenance/status', {}, signal)
    return { id: header?.member_id ?? '', leader: leader ?? '0' }
  }

  /**
   * Returns the revision of the last put of each key, as this server has it. Keys below `from` are
   * left out.
   */
  async revisions(from: string): Promise<Map<string, number>> {
    const { kvs = [] } = await this.#post('kv/range', { key: base64(from), range_end: base64('\0'), serializable: true })
    return new Map(kvs.map((each) => [Buffer.from(each.key, 'base64').toString(), Number(each.mod_revision)]))
  }

  close(): void {
    this.#agent.destroy()
  }

  async #post(path: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const response = await this.#open(path, body, signal)
    let text = ''
    response.setEncoding('utf8')
    for await (const part of response) text += part as string
    const answer = JSON.parse(text) as Answer
    if (response.statusCode !== 200) throw new Error(`etcd: ${answer.error ?? text}`)
    return answer
  }

  async #open(path: string, body: object, signal?: AbortSignal): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const asked = request(
      { host: this.#address, port: this.#port, path: `/v3/${path}`, method: 'POST', agent: this.#agent, ...(signal && { signal }) },
      resolve,
    )
    asked.on('error', reject)
    asked.setNoDelay(true)
    asked.end(JSON.stringify(body))
    return await promise
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
