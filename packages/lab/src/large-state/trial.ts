/**
 * A newcomer receives a large pool over loopback. One node, the introducer, has thousands of
 * members with large tags in its view. A newcomer enters through it. Meanwhile a third peer probes
 * the introducer.
 *
 * The members exist as statements only. A peer sends them to the introducer in the introducer's
 * first minute. In that minute a node accepts any number of members.
 */
import { encodeFrame, poolNames } from '@jel/overlay/internals'
import { wire } from '@jel/protocol/internals'
import { Attacker, type HostileLink } from '../attacks/attacker.ts'
import { Sybil } from '../attacks/sybil.ts'
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { until } from '../base/wait.ts'
import type { Node } from './node.ts'

/** Number of statements in a frame: 55 KB with tags of a kilobyte. */
const batch = 50

/** Time between two probes, ms. */
const probeInterval = 100

export async function trial(members: number, tagBytes: number, within: number) {
  const pool = `large-${process.pid}-${Date.now()}`
  const listen = ['/ip4/127.0.0.1/tcp/0']
  const nodes: RemoteProcess<Node>[] = []
  const peers: Attacker[] = []
  const start = (): RemoteProcess<Node>['remote'] => {
    nodes.push(startRemote<Node>(new URL('node.ts', import.meta.url)))
    return (nodes.at(-1) as RemoteProcess<Node>).remote
  }
  try {
    const [introducer, newcomer] = [start(), start()]
    // The introducer builds no links by itself, because its members have no hosts.
    const address = await introducer.start({ pool, listen, config: { links: { rings: 0, random: 0 } } })
    await tellAll(await startPeer(pool, peers), address, pool, members, tagBytes)
    const told = await known(introducer, members, within)

    const link = await (await startPeer(pool, peers)).enter(address)
    const probing = await probe(link, pool)
    const startedAt = performance.now()
    void newcomer.start({ pool, listen, bootstrap: [address] })
    const state = await known(newcomer, members, within)
    const seconds = (performance.now() - startedAt) / 1_000
    const { slowest, count } = await probing.end()
    return {
      /** Time from the start of the newcomer's host until it knew all members, s. */
      seconds,
      /** Processor time of the newcomer's process since its start, s. */
      processor: state.processor,
      /** Highest memory of the newcomer and of the introducer, MB. */
      megabytes: state.megabytes,
      introducerMegabytes: (await introducer.state()).megabytes,
      /**
       * Time until the slowest answer to a probe over the other link, ms. Infinity if there was no
       * probe, or if an answer is missing.
       */
      slowestProbe: slowest,
      probes: count,
      /** Members that either node pronounced dead. They have no process. */
      died: state.died + told.died,
      /** True if the probing link is still up. */
      isUp: link.isUp,
    }
  } finally {
    for (const { child } of nodes) child.kill('SIGKILL')
    await Promise.allSettled(peers.map((peer) => peer.stop()))
  }
}

/** Waits until a node knows all members. Returns its state at that time. */
async function known(node: RemoteProcess<Node>['remote'], members: number, within: number): Promise<ReturnType<Node['state']>> {
  let state = await node.state()
  const knowsAll = await until(async () => (state = await node.state()).members >= members, within, 50)
  if (!knowsAll) throw new Error(`after ${within / 1_000} s: ${state.members} of ${members} members known`)
  return state
}

async function startPeer(pool: string, peers: Attacker[]): Promise<Attacker> {
  const peer = await Attacker.start(pool)
  peers.push(peer)
  return peer
}

async function tellAll(peer: Attacker, address: string, pool: string, members: number, tagBytes: number): Promise<void> {
  const link = await peer.enter(address)
  const statements = Array.from({ length: members }, () => {
    return new Sybil(pool).joins([], 1, crypto.getRandomValues(new Uint8Array(tagBytes)))
  })
  await link.tell(statements, batch, 10)
}

/** Sends probes over a link, on its urgent stream. Takes the acks on both streams. */
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
  link.addUrgent(stream)
  const timer = setInterval(() => {
    sequence += 1
    sent.set(sequence, performance.now())
    if (stream.status === 'open') stream.send(encodeFrame(wire.Frame.encode({ probe: { sequence } })))
  }, probeInterval)
  return {
    end: async () => {
      clearInterval(timer)
      await until(() => sent.size === 0, 5_000)
      return { slowest: sent.size > 0 || answered === 0 ? Infinity : slowest, count: answered }
    },
  }
}
