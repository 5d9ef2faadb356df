/** The pool under attack, as its attackers' process sees it. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { end, keep } from '../driver/child.ts'
import { usageOfAll, type Usage } from '../driver/usage.ts'
import type { Answer, Call, Commands, Figures } from './pool-process.ts'

export class VictimPool {
  readonly name: string
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  #calls = 0
  /** One multiaddr of each node. */
  addresses: readonly string[] = []

  private constructor(name: string) {
    this.name = name
    const script = fileURLToPath(new URL('pool-process.ts', import.meta.url))
    this.#child = keep(fork(script, { execArgv: ['--expose-gc'], serialization: 'advanced' }))
    this.#child.on('message', (answer: Answer) => {
      const call = this.#pending.get(answer.id)
      this.#pending.delete(answer.id)
      if ('error' in answer) call?.reject(new Error(`pool: ${answer.error}`))
      else call?.resolve(answer.result)
    })
    this.#child.once('exit', (code, signal) => {
      for (const call of this.#pending.values()) call.reject(new Error(`the pool's process ended: ${code ?? signal}`))
    })
  }

  /** Resolves when all see all and one of them reigns. */
  static async start(count: number, key?: string): Promise<VictimPool> {
    const pool = new VictimPool(`attacked-${process.pid}-${Date.now()}`)
    pool.addresses = (await pool.#call('start', { pool: pool.name, count, ...(key !== undefined && { key }) })) as string[]
    return pool
  }

  /** The n-th node's address, ending in `/p2p/<id>`. */
  address(index = 0): string {
    return this.addresses[index % this.addresses.length] ?? ''
  }

  id(index = 0): string {
    return this.address(index).split('/p2p/')[1] ?? ''
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async figures(): Promise<Figures> {
    return (await this.#call('figures', undefined)) as Figures
  }

  /** How long until all know a newcomer, ms; NaN if some still don't after so long. */
  async newcomer(patience: number): Promise<number> {
    return (await this.#call('newcomer', { pool: this.name, through: this.address(1), patience })) as number
  }

  /** How long until all know that an honest node won an election of this name, ms; NaN if some still don't after ten seconds. */
  async elects(name: string): Promise<number> {
    return (await this.#call('elects', { name, patience: 10_000 })) as number
  }

  /** The key of a member, from the file that it keeps it in. */
  async keyFile(): Promise<Ed25519PrivateKey> {
    const { privateKey } = JSON.parse((await this.#call('keyFile', undefined)) as string) as { privateKey: string }
    return privateKeyFromProtobuf(Buffer.from(privateKey, 'base64')) as Ed25519PrivateKey
  }

  usage(): Usage {
    return usageOfAll(this.#child.pid === undefined ? [] : [this.#child.pid])
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return
    const gone = once(this.#child, 'exit', { signal: AbortSignal.timeout(5_000) }).catch(() => {})
    this.#call('stop', undefined).catch(() => {})
    await gone
    await end(this.#child, 1_000)
  }

  async #call(command: keyof Commands, argument: unknown): Promise<unknown> {
    const call = Promise.withResolvers<unknown>()
    this.#pending.set(++this.#calls, call)
    this.#child.send({ id: this.#calls, command, argument } satisfies Call)
    return await call.promise
  }
}
