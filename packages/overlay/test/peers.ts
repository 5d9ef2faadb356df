/**
 * Hosts with links but without the protocol, for tests of the layers below the protocol. They
 * listen on loopback only.
 */
import type { NodeId } from '@jel/protocol'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { generateKeyPair } from '@libp2p/crypto/keys'
import type { Connection, Libp2p, PrivateKey, Stream } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { introducerOf } from '../src/base/addresses.ts'
import { poolNames } from '../src/base/names.ts'
import { Dialer } from '../src/dialing/dialing.ts'
import { AllowList } from '../src/host/allow-list.ts'
import { Host, type WebOptions } from '../src/host/host.ts'
import { Refusals } from '../src/host/refusals.ts'
import { PoolKeys } from '../src/identity/pool-keys.ts'
import { Links } from '../src/links/links.ts'

export const maxFrameBytes = 4_096

export interface Peer {
  readonly id: NodeId
  readonly address: Uint8Array
  readonly host: Host
  readonly links: Links
  readonly dialer: Dialer
  /** Events in order: `up <id>`, `down <id>`, `bad <problem>`, or the text of a frame. */
  readonly log: string[]
  /** The refused peers, and why. */
  readonly refused: string[]
  /** Opens a link. */
  link(to: Peer): Promise<Connection>
  stop(): Promise<void>
}

const running: { stop(): Promise<void> }[] = []

/** Stops everything that was started. For afterEach. */
export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map(async (each) => await each.stop()))
}

export async function startPeer({
  pool = 'test',
  key,
  keys = new PoolKeys(key === undefined ? [] : [key]),
  allowed,
  timeout = 2_000,
  idleTime = 15_000,
  stallTimeout,
  answers,
  web,
}: {
  pool?: string
  key?: Uint8Array
  keys?: PoolKeys
  allowed?: readonly string[]
  timeout?: number
  idleTime?: number
  stallTimeout?: number
  answers?: (connection: Connection) => Promise<boolean>
  web?: WebOptions
} = {}): Promise<Peer> {
  const names = poolNames(pool)
  const log: string[] = []
  const refused: string[] = []
  const host = await Host.create({
    privateKey: await generateKeyPair('Ed25519'),
    listen: [multiaddr('/ip4/127.0.0.1/tcp/0')],
    keys,
    allowed: new AllowList(allowed),
    refusals: new Refusals((message) => refused.push(message)),
    circuits: { ...names.circuits, admits: () => true },
    topic: names.topic,
    maxMessageBytes: maxFrameBytes,
    discovery: undefined,
    ...(web && { web }),
  })
  const links = new Links(
    {
      maxFrameBytes,
      idleTime,
      stallTimeout,
      ...(answers && { answers }),
      urgent: names.urgent,
      isOwn: (protocol) => [...names.links, ...names.urgent].includes(protocol) || host.isOwnProtocol(protocol),
    },
    {
      onUp: (peer, connection) => {
        log.push(`up ${peer}`)
        host.topic.introduce(connection)
      },
      onFrame: (_peer, data) => log.push(new TextDecoder().decode(data)),
      onDown: (peer) => log.push(`down ${peer}`),
      onMoved: (connection) => host.topic.introduce(connection),
      onMisbehaviour: (_peer, problem) => log.push(`bad ${problem}`),
    },
  )
  const dialer = new Dialer(host.libp2p, { protocols: names.links, keyed: keys.primary !== undefined, timeout, raceTimeout: 300 })
  await host.libp2p.handle([...names.links], (stream, connection) => void links.add(stream, connection))
  await host.libp2p.handle([...names.urgent], (stream, connection) => links.addUrgent(stream, connection))
  await host.start()
  const [own] = host.addresses()
  const { address } = introducerOf(own!)
  const peer: Peer = {
    id: host.libp2p.peerId.toString(),
    address,
    host,
    links,
    dialer,
    log,
    refused,
    link: async (to) => {
      const connection = await dialer.connect(to.id, [to.address])
      if (!links.add(await dialer.open(connection), connection)) throw new Error('the link was not taken')
      return connection
    },
    stop: async () => {
      dialer.stop()
      await host.stop()
    },
  }
  running.push(peer)
  return peer
}

export interface Intruder {
  readonly libp2p: Libp2p
  open(to: Peer): Promise<Stream>
}

interface IntruderOptions {
  readonly pool: string
  readonly privateKey: PrivateKey
  readonly instance: readonly number[]
}

/** A host that follows no rules: it opens a link and then sends raw bytes. */
export async function startIntruder({
  pool = 'test',
  privateKey,
  instance = [1, 2, 3, 4, 5, 6, 7, 8],
}: Partial<IntruderOptions> = {}): Promise<Intruder> {
  const libp2p = await createLibp2p({
    ...(privateKey && { privateKey }),
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionMonitor: { enabled: false },
  })
  running.push({ stop: async () => await libp2p.stop() })
  return {
    libp2p,
    open: async (to) => {
      const connection = await libp2p.dial(multiaddr(to.address).encapsulate(`/p2p/${to.id}`))
      const stream = await connection.newStream([...poolNames(pool).links])
      if (stream.status === 'open') stream.send(Uint8Array.of(instance.length, ...instance))
      return stream
    },
  }
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean, within = 5_000): Promise<void> {
  const end = performance.now() + within
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not so within ${within} ms: ${condition.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
