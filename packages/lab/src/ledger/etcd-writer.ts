/** A client of etcd on a server's host, as the object of a child process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../base/remote.ts'
import { EtcdClient } from './etcd-client.ts'
import type { Entry } from './judge.ts'

/** Longest wait for an answer, ms. etcd itself gives up after 7 s. */
const ASK = 10_000

/** A put and its revision. Times: Unix ms. */
export interface Put extends Entry {
  readonly asked: number
  readonly time: number
}

export interface WriterCommands {
  /** Puts a key of its own every `pause` ms, without waiting for the answers. */
  begin(address: string, port: number, number: number, pause: number): void
  /** Ends that. Returns the puts that were acknowledged. */
  end(): Promise<readonly Put[]>
  leads(): Promise<boolean>
  revisions(): Promise<ReadonlyMap<string, number>>
}

class Writer implements WriterCommands {
  readonly #puts: Put[] = []
  readonly #asked: Promise<void>[] = []
  #client = new EtcdClient(0)
  #number = 0
  #timer: NodeJS.Timeout | undefined

  begin(address: string, port: number, number: number, pause: number): void {
    this.#client = new EtcdClient(port, address)
    this.#number = number
    this.#timer = setInterval(() => this.#asked.push(this.#put().catch(() => {})), pause)
  }

  async end(): Promise<readonly Put[]> {
    clearInterval(this.#timer)
    await Promise.race([Promise.all(this.#asked), sleep(ASK)])
    return this.#puts
  }

  async leads(): Promise<boolean> {
    const { id, leader } = await this.#client.status()
    return id === leader
  }

  async revisions(): Promise<ReadonlyMap<string, number>> {
    return await this.#client.revisions('order')
  }

  async #put(): Promise<void> {
    const text = `order ${this.#number} ${this.#asked.length}`
    const asked = Date.now()
    const index = await this.#client.put(text, '', AbortSignal.timeout(ASK))
    this.#puts.push({ index, text, asked, time: Date.now() })
  }
}

serve(new Writer())
