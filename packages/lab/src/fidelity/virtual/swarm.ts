/**
 * Real hosts in one process, on virtual time and a virtual network. Import it after these are
 * installed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOverlay, type Overlay } from '@jel/overlay'
import { generateKeyPairFromSeed, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import type { Meter } from '../../swarm/meter.ts'
import type { Tally } from '../../swarm/tally.ts'
import type { Started, Swarm } from '../swarm.ts'
import type { VirtualTime } from './clock.ts'
import { bytesWritten, unlisten } from './net.ts'

interface Host {
  readonly overlay: Overlay
  readonly port: number
  readonly news: Map<string, number>
}

export class VirtualSwarm implements Swarm {
  readonly #time: VirtualTime
  readonly #meter: Meter
  readonly #folder = mkdtempSync(join(tmpdir(), 'jel-fidelity-'))
  readonly #hosts = new Map<string, Host>()
  #first: string | undefined
  #started = 0

  constructor(time: VirtualTime, meter: Meter) {
    this.#time = time
    this.#meter = meter
  }

  async start(): Promise<Started> {
    const called = this.#time.now
    const identityFile = await this.#identity()
    const port = 10_000 + this.#started++
    const bootstrap = this.#first === undefined ? [] : [this.#first]
    const overlay = await this.#wait(
      startOverlay({ pool: 'fidelity', listen: [`/ip4/127.0.0.1/tcp/${port}`], bootstrap, identityFile, location: `host${port}` }),
    )
    const entered = this.#time.now
    const { id } = overlay.self
    const news = new Map<string, number>()
    overlay.subscribe((notification) => {
      if (notification.type === 'joined' || notification.type === 'left' || notification.type === 'died')
        news.set(`${notification.type} ${notification.member.id}`, this.#time.now)
    })
    this.#hosts.set(id, { overlay, port, news })
    this.#first ??= overlay.self.addresses[0]
    return { id, called, entered }
  }

  async rest(ms: number): Promise<void> {
    await this.#time.pass(ms)
  }

  async leave(id: string): Promise<number> {
    const { overlay } = this.#host(id)
    this.#hosts.delete(id)
    const called = this.#time.now
    await this.#wait(overlay.leave())
    return called
  }

  async kill(id: string): Promise<number> {
    const { overlay, port } = this.#host(id)
    this.#hosts.delete(id)
    const killed = this.#time.now
    this.#meter.kill(id)
    unlisten(port)
    for (const connection of overlay.libp2p.getConnections()) connection.abort(new Error('killed'))
    await this.#wait(Promise.resolve(overlay.libp2p.stop()))
    return killed
  }

  async sightings(type: 'joined' | 'left' | 'died', subject: string): Promise<number[]> {
    return [...this.#hosts.values()].flatMap(({ news }) => news.get(`${type} ${subject}`) ?? [])
  }

  async tally(): Promise<Tally> {
    const { frames, frameBytes, published, links } = this.#meter
    return { frames, frameBytes, published, links, streamBytes: bytesWritten(), processor: 0 }
  }

  async stop(): Promise<void> {
    rmSync(this.#folder, { recursive: true })
  }

  #host(id: string): Host {
    const host = this.#hosts.get(id)
    if (host === undefined) throw new Error(`no host ${id}`)
    return host
  }

  /** Waits for a promise while virtual time passes. */
  async #wait<Value>(promise: Promise<Value>): Promise<Value> {
    let isDone = false
    const settled = promise.finally(() => {
      isDone = true
    })
    settled.catch(() => {}) // the await below handles the rejection
    await this.#time.until(() => isDone)
    return await settled
  }

  /** An identity file with a key from the seed. */
  async #identity(): Promise<string> {
    const seed = Uint8Array.from({ length: 32 }, () => Math.floor(this.#time.random() * 256))
    const key = await generateKeyPairFromSeed('Ed25519', seed)
    const file = join(this.#folder, `${this.#started}.json`)
    const privateKey = Buffer.from(privateKeyToProtobuf(key)).toString('base64')
    const id = peerIdFromPrivateKey(key).toString()
    writeFileSync(file, JSON.stringify({ format: 'jel-identity/1', id, privateKey, incarnation: 0 }), { mode: 0o600 })
    return file
  }
}
