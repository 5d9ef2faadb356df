/** The attackers' interface to the process with the pool under attack. */
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { startRemote, stopRemote, type RemoteProcess } from '../base/remote.ts'
import { usageOfAll, type Usage } from '../base/usage.ts'
import type { Commands } from './pool-process.ts'

export class VictimPool {
  readonly name = `attacked-${process.pid}-${Date.now()}`
  readonly #process: RemoteProcess<Commands> = startRemote(new URL('pool-process.ts', import.meta.url), ['--expose-gc'])
  /** One multiaddr of each node. */
  addresses: readonly string[] = []
  #webPorts: readonly number[] = []

  /** Resolves when every node sees all nodes and one node is elected. */
  static async start(count: number): Promise<VictimPool> {
    const pool = new VictimPool()
    pool.addresses = await pool.remote.start(pool.name, count)
    pool.#webPorts = await pool.remote.webPorts()
    return pool
  }

  /** The address of the node with this index, ending in `/p2p/<id>`. */
  address(index = 0): string {
    return this.addresses[index % this.addresses.length] ?? ''
  }

  /** The port for browsers of the node with this index. */
  webPort(index = 0): number {
    return this.#webPorts[index % this.#webPorts.length] ?? 0
  }

  get remote(): RemoteProcess<Commands>['remote'] {
    return this.#process.remote
  }

  id(index = 0): string {
    return this.address(index).split('/p2p/')[1] ?? ''
  }

  /** The private key of a member, read from its key file. */
  async keyFile(): Promise<Ed25519PrivateKey> {
    const { privateKey } = JSON.parse(await this.remote.keyFile()) as { privateKey: string }
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
