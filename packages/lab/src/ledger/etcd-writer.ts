/** A client of etcd on a server's host, as the object of a child process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../base/remote.ts'
import { History } from '../linearizability/history.ts'
import type { OrderOperation } from '../linearizability/orders.ts'
import { EtcdClient } from './etcd-client.ts'

/** Longest wait for an answer, ms. etcd itself gives up after 7 s. */
const ASK = 10_000

export interface WriterCommands {
  /** Puts a key of its own every `pause` ms, without waiting for the answers. */
  begin(address: string, port: number, number: number, pause: number): void
  /** Ends that. Returns all puts, with their revisions if etcd told them. Times: Unix ms. */
  end(): Promise<readonly OrderOperation[]>
  leads(): Promise<boolean>
  revisions(): Promise<ReadonlyMap<string, number>>
}

class Writer implements WriterCommands {
  readonly #history = new History(() => Date.now())
  readonly #asked: Promise<void>[] = []
  #client = new EtcdClient(0)
  #number = 0
  #timer: NodeJS.Timeout | undefined

  begin(address: string, port: number, number: number, pause: number): void {
    this.#client = new EtcdClient(port, address)
    this.#number = number
    this.#timer = setInterval(() => this.#asked.push(this.#put().catch(() => {})), pause)
  }

  async end(): Promise<readonly OrderOperation[]> {
    clearInterval(this.#timer)
    await Promise.race([Promise.all(this.#asked), sleep(ASK)])
    return this.#history.orders
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
    const ended = this.#history.order(text)
    ended('acknowledged', await this.#client.put(text, '', AbortSignal.timeout(ASK)))
  }
}

serve(new Writer())
