/**
 * A pool of thousands on one machine: a few real hosts, and dormant members, which exist as
 * statements until a node dials them.
 *
 * Each dormant member has its own address in 127.0.0.0/8. All of them share one listener. A dial
 * wakes up the member: a host with the member's key starts, and answers hellos and probes. The
 * newcomer's neighbours on the rings are real hosts. So they probe it and reconcile with it, as in
 * any pool.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { startOverlay, type Overlay } from '@jel/overlay'
import { tcpEndpoint } from '@jel/overlay/internals'
import { defaultConfig, Registry } from '@jel/protocol'
import { factOf, observersOf } from '@jel/protocol/internals'
import { privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { multiaddr } from '@multiformats/multiaddr'
import { Attacker } from '../attacks/attacker.ts'
import { Sybil } from '../attacks/sybil.ts'
import { until } from '../base/wait.ts'

/** Number of real hosts besides the newcomer's neighbours. */
const others = 4
/** Number of statements in a frame, 49 KB in all. */
const batch = 200

export class DormantPool {
  readonly pool = `crowd-${process.pid}-${Date.now()}`
  readonly #folder: string
  readonly #hosts: Overlay[] = []
  readonly #awake = new Map<number, Promise<Attacker>>()
  #dormant: readonly Sybil[] = []
  #listener: Server | undefined

  /** `folder`: the folder for identity files. */
  constructor(folder: string) {
    this.#folder = folder
  }

  get address(): string {
    return this.#hosts[0]?.self.addresses[0] ?? ''
  }

  /** Number of awake members, plus the source of the statements. */
  get awake(): number {
    return this.#awake.size
  }

  /**
   * Builds the pool. Resolves when the real hosts see `members` members, without the newcomer of
   * this id.
   */
  async settle(newcomer: string, members: number): Promise<void> {
    const everybody = Array.from({ length: members }, () => new Sybil(this.pool))
    const registry = new Registry()
    for (const sybil of everybody) registry.hold(factOf({ statement: sybil.joins() }))
    const near = observersOf(newcomer, defaultConfig.links.rings, registry, { isAliveAt: () => true })
    const isReal = ({ id }: Sybil, i: number): boolean => i < others || near.has(id)
    for (const sybil of everybody.filter(isReal)) this.#hosts.push(await this.#start(sybil))
    // The source of the statements is also a member and takes one place.
    this.#dormant = everybody.filter((sybil, i) => !isReal(sybil, i)).slice(1)
    this.#listener = createServer((socket) => {
      const { localAddress = '' } = socket
      socket.on('error', () => socket.destroy())
      this.#wake(numberOf(localAddress)).then(
        (member) => {
          const inner = connect(portOf(member), '127.0.0.1')
          inner.on('error', () => socket.destroy())
          socket.pipe(inner).pipe(socket)
        },
        () => socket.destroy(),
      )
    }).listen(0, '0.0.0.0')
    await once(this.#listener, 'listening')
    await this.#tell((this.#listener.address() as AddressInfo).port)
    const known = (): number[] => this.#hosts.map((host) => host.members().length)
    if (!(await until(() => known().every((count) => count >= members), 120_000, 100)))
      throw new Error(`real hosts know ${known().join(', ')} members`)
  }

  async stop(): Promise<void> {
    this.#listener?.close()
    await Promise.allSettled([...this.#awake.values()].map(async (member) => await (await member).stop()))
    await Promise.allSettled(this.#hosts.map(async (host) => await host.leave()))
  }

  /**
   * Starts a host that builds no links by itself. Its links would wake up its neighbours, and their
   * links would wake up further members.
   */
  async #start({ id, privateKey }: Sybil): Promise<Overlay> {
    const identityFile = join(this.#folder, `${id}.json`)
    const key = Buffer.from(privateKeyToProtobuf(privateKey)).toString('base64')
    writeFileSync(identityFile, JSON.stringify({ format: 'jel-identity/1', id, privateKey: key, incarnation: 0 }), { mode: 0o600 })
    return await startOverlay({
      pool: this.pool,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      bootstrap: this.#hosts[0]?.self.addresses ?? [],
      identityFile,
      config: { links: { rings: 0, random: 0 } },
    })
  }

  async #tell(port: number): Promise<void> {
    const source = await Attacker.start(this.pool)
    this.#awake.set(-1, Promise.resolve(source))
    const link = await source.enter(this.address)
    const statements = this.#dormant.map((sybil, i) => sybil.joins([multiaddr(`/ip4/${hostOf(i)}/tcp/${port}`).bytes]))
    await link.tell(statements, batch, 20)
  }

  #wake(number: number): Promise<Attacker> {
    const sybil = this.#dormant[number]
    if (sybil === undefined) return Promise.reject(new RangeError(`no member has the address ${hostOf(number)}`))
    let member = this.#awake.get(number)
    if (member === undefined) this.#awake.set(number, (member = Attacker.start(this.pool, { sybil })))
    return member
  }
}

function portOf({ libp2p }: Attacker): number {
  const [address] = libp2p.getMultiaddrs()
  return Number(address === undefined ? undefined : tcpEndpoint(address.bytes)?.port)
}

/** The address of a dormant member, from 127.1.0.0 on. */
function hostOf(number: number): string {
  return `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`
}

function numberOf(host: string): number {
  const [, a = 0, b = 0, c = 0] = host.replace('::ffff:', '').split('.').map(Number)
  return ((a - 1) << 16) + (b << 8) + c
}
