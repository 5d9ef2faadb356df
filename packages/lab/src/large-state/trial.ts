/**
 * A newcomer receives a large pool over loopback. One node, the teller, has thousands of members
 * with large tags in its view. Another node enters through it, and a third peer probes the teller
 * all the while.
 *
 * The members exist as statements only. A peer sends them to the teller in its first minute, when a
 * node accepts any number.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { OverlayOptions } from '@jel/overlay'
import { decodeFrames, encodeFrame, poolNames } from '@jel/overlay/internals'
import { wire } from '@jel/protocol/internals'
import { Attacker, type HostileLink } from '../attacks/attacker.ts'
import { Sybil, told } from '../attacks/sybil.ts'
import type { Said } from './node.ts'

/** Statements a frame: 55 KB with tags of a kilobyte. */
const batch = 50

/** Time between two probes, ms. */
const probeInterval = 100

export interface Figures {
  /** Time from the start of the newcomer's host until it knew all, s. */
  readonly seconds: number
  /** Processor time of the newcomer since its process began, s. */
  readonly processor: number
  /** The newcomer's highest memory, MB. */
  readonly megabytes: number
  /** The teller's highest memory, MB. */
  readonly tellerMegabytes: number
  /**
   * The slowest answer to a probe of another link during that time, ms; Infinity: there was none.
   */
  readonly slowestProbe: number
  readonly probes: number
  /** Members that either node took for dead: they are statements only and have no process. */
  readonly died: number
  /** Whether the probing link lasted. */
  readonly isUp: boolean
}

class Node {
  readonly #child: ChildProcess
  startedAt = 0
  address = ''
  latest: Extract<Said, { type: 'knows' }> | undefined

  constructor(options: OverlayOptions) {
    this.#child = fork(fileURLToPath(new URL('node.ts', import.meta.url)), [JSON.stringify(options)])
    this.#child.on('message', (said: Said) => {
      if (said.type === 'starting') this.startedAt = performance.now()
      else if (said.type === 'started') this.address = said.address
      else this.latest = said
    })
  }

  async knows(members: number, within: number): Promise<void> {
    await until(
      () => (this.latest?.members ?? 0) >= members,
      within,
      () => `${this.latest?.members ?? 0} of ${members} members known`,
    )
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }
}

export async function trial(members: number, tagBytes: number, within = 60_000): Promise<Figures> {
  const pool = `large-${process.pid}-${Date.now()}`
  const listen = ['/ip4/127.0.0.1/tcp/0']
  const nodes: Node[] = []
  const peers: Attacker[] = []
  try {
    // The teller builds no links by itself: its members have no hosts.
    const teller = new Node({ pool, listen, config: { links: { rings: 0, random: 0 } } })
    nodes.push(teller)
    await until(
      () => teller.address !== '',
      within,
      () => 'the first node has not started',
    )
    await tellAll(await start(pool, peers), teller.address, pool, members, tagBytes)
    await teller.knows(members, within)

    const link = await (await start(pool, peers)).enter(teller.address)
    const probing = await probe(link, pool)
    const newcomer = new Node({ pool, listen, bootstrap: [teller.address] })
    nodes.push(newcomer)
    await newcomer.knows(members, within)
    const seconds = (performance.now() - newcomer.startedAt) / 1_000
    const { slowest, count } = await probing.end()
    return {
      seconds,
      processor: newcomer.latest?.processor ?? 0,
      megabytes: newcomer.latest?.peakMegabytes ?? 0,
      tellerMegabytes: teller.latest?.peakMegabytes ?? 0,
      slowestProbe: slowest,
      probes: count,
      died: (newcomer.latest?.died ?? 0) + (teller.latest?.died ?? 0),
      isUp: link.isUp,
    }
  } finally {
    for (const node of nodes) node.end()
    await Promise.allSettled(peers.map(async (peer) => await peer.stop()))
  }
}

async function start(pool: string, peers: Attacker[]): Promise<Attacker> {
  const peer = await Attacker.start(pool)
  peers.push(peer)
  return peer
}

async function tellAll(peer: Attacker, address: string, pool: string, members: number, tagBytes: number): Promise<void> {
  const link = await peer.enter(address)
  const tag = new Uint8Array(tagBytes)
  const statements = Array.from({ length: members }, () => {
    const sybil = new Sybil(pool)
    crypto.getRandomValues(tag)
    return sybil.says({
      kind: 'joined',
      incarnation: 1,
      version: 1,
      nonce: 1,
      addresses: [],
      location: 'nowhere',
      tag: tag.slice(),
      constants: new Map(),
      joinedAt: 0,
    })
  })
  for (let i = 0; i < statements.length; i += batch) {
    link.send(told(statements.slice(i, i + batch), false))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Probes over a link, on its urgent stream, and takes the acks on either stream. */
async function probe(link: HostileLink, pool: string): Promise<{ end(): Promise<{ slowest: number; count: number }> }> {
  const stream = await link.connection.newStream([...poolNames(pool).urgent])
  const sent = new Map<number, number>()
  let [slowest, answered, sequence] = [0, 0, 0]
  const hear = (frame: wire.Frame): void => {
    const at = sent.get(frame.ack?.sequence ?? -1)
    if (at === undefined) return
    sent.delete(frame.ack?.sequence ?? -1)
    answered += 1
    slowest = Math.max(slowest, performance.now() - at)
  }
  link.onFrame = hear
  void (async () => {
    for await (const bytes of decodeFrames(stream, 1_048_576)) hear(wire.Frame.decode(bytes))
  })().catch(() => {})
  const timer = setInterval(() => {
    sequence += 1
    sent.set(sequence, performance.now())
    if (stream.status === 'open') stream.send(encodeFrame(wire.Frame.encode({ probe: { sequence } })))
  }, probeInterval)
  return {
    end: async () => {
      clearInterval(timer)
      const end = performance.now() + 5_000
      while (sent.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
      return { slowest: sent.size > 0 || answered === 0 ? Infinity : slowest, count: answered }
    },
  }
}

async function until(condition: () => boolean, within: number, problem: () => string): Promise<void> {
  const end = performance.now() + within
  while (!condition()) {
    if (performance.now() > end) throw new Error(`after ${within / 1_000} s: ${problem()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
