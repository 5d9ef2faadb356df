/** The pool under attack, for the attackers' process. */
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { startRemote, stopRemote, type RemoteProcess } from '../base/remote.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'
import type { Commands, Figures } from './pool-process.ts'

export class VictimPool {
  readonly name = `attacked-${process.pid}-${Date.now()}`
  readonly #process: RemoteProcess<Commands> = startRemote(new URL('pool-process.ts', import.meta.url), ['--expose-gc'])
  /** One multiaddr of each node. */
  addresses: readonly string[] = []

  /** Resolves when all see all and one of them is elected. */
  static async start(count: number): Promise<VictimPool> {
    const pool = new VictimPool()
    pool.addresses = await pool.#process.remote.start(pool.name, count)
    return pool
  }

  /** The n-th node's address, ending in `/p2p/<id>`. */
  address(index = 0): string {
    return this.addresses[index % this.addresses.length] ?? ''
  }

  id(index = 0): string {
    return this.address(index).split('/p2p/')[1] ?? ''
  }

  async figures(): Promise<Figures> {
    return await this.#process.remote.figures()
  }

  /** Time until all nodes see a newcomer, ms; NaN if some still don't after ten seconds. */
  async newcomer(): Promise<number> {
    return await this.#process.remote.newcomer(this.name, this.address(1))
  }

  /**
   * Time until all nodes see an honest winner of an election of this name, ms; NaN if some still
   * don't after ten seconds.
   */
  async elects(name: string): Promise<number> {
    return await this.#process.remote.elects(name)
  }

  /** The key of a member, from its key file. */
  async keyFile(): Promise<Ed25519PrivateKey> {
    const { privateKey } = JSON.parse(await this.#process.remote.keyFile()) as { privateKey: string }
    return privateKeyFromProtobuf(Buffer.from(privateKey, 'base64')) as Ed25519PrivateKey
  }

  usage(): Usage {
    const { pid } = this.#process.child
    return usageOfAll(pid === undefined ? [] : [pid])
  }

  async stop(): Promise<void> {
    await stopRemote(this.#process, 5_000)
  }
}
