/**
 * The forwarding proxy between far hosts, in a separate thread. Each packet of a host arrives in a
 * datagram (RFC 7348, VXLAN), waits for the one-way delay, and goes on to its receiver. The hosts'
 * kernels make the packets. So a connect and a refusal take a round trip, packets keep their order,
 * and the receiver's window slows a fast sender down.
 */
import { createSocket, type Socket } from 'node:dgram'
import { parentPort, workerData } from 'node:worker_threads'
import { createRandom } from '@jel/protocol'
import type { Distances } from './distances.ts'
import { Line, Pipe } from './line.ts'

export interface ForwarderData {
  readonly distances: Distances
  readonly seed: number
  /** Number of hosts. Each host has its own port: `base` plus its number. */
  readonly hosts: number
  readonly base: number
  /**
   * Address at which the forwarder receives datagrams, and address at which the hosts' kernels
   * receive them.
   */
  readonly here: string
  readonly there: string
}

export type ForwarderOrder =
  | { readonly type: 'locate'; readonly host: number; readonly site: number }
  /** Sets the bandwidth of a host's link, bits a second; undefined: unlimited. */
  | { readonly type: 'narrow'; readonly host: number; readonly bits: number | undefined }

interface Packet {
  readonly bytes: Buffer
  readonly to: number
  /** The gateway of the receiver's site, if the packet comes from another site. */
  readonly gateway: Pipe | undefined
}

// Offsets of fields. Eight bytes of VXLAN precede the Ethernet frame.
const TO = 8
const TYPE = TO + 12
const ARP = 0x0806
/** Bytes of VXLAN and the inner Ethernet header around each packet. */
const ENVELOPE = 22

const { distances, seed, hosts, base, here, there } = workerData as ForwarderData
const random = createRandom(seed)
const now = (): number => performance.now()
const sockets = new Map<number, Socket>()
const sites = new Map<number, number>()
const links = new Map<number, { readonly up: Pipe; readonly down: Pipe }>()
const gateways = distances.sites.map(({ gateway: { up, down } }) => ({ up: pipeOf(up), down: pipeOf(down) }))
const ways = new Map<string, Line<Packet>>()
const doors = new Map<number, Line<Packet>>()

function pipeOf(bits: number | undefined): Pipe | undefined {
  return bits === undefined ? undefined : new Pipe(bits)
}

/**
 * Returns the number of the host to which a packet goes, from the hardware address that the
 * laboratory assigned; undefined for multicast.
 */
function receiver(bytes: Buffer): number | undefined {
  return ((bytes[TO] ?? 0) & 1) === 1 ? undefined : bytes.readUInt16BE(TO + 4)
}

function take(bytes: Buffer, from: number): void {
  if (bytes.length < TYPE + 2) return
  const to = receiver(bytes)
  if (bytes.readUInt16BE(TYPE) === ARP) {
    // ARP passes without delay, because a real host would ask the router next to it.
    for (const other of to === undefined ? sockets.keys() : [to]) if (other !== from) send(bytes, other)
  } else if (to !== undefined) {
    forward(bytes, from, to)
  }
}

function forward(bytes: Buffer, from: number, to: number): void {
  const [start, goal] = [sites.get(from) ?? 0, sites.get(to) ?? 0]
  const crosses = start !== goal
  const length = bytes.length - ENVELOPE
  let due: number | undefined = now()
  for (const pipe of [links.get(from)?.up, crosses ? gateways[start]?.up : undefined]) {
    if (due !== undefined && pipe !== undefined) due = pipe.carry(length, due)
  }
  if (due === undefined) return
  const { min, max } = distances.spans[start]?.[goal] ?? { min: 0, max: 0 }
  const way = lineOf(ways, `${from} ${to}`, arrive)
  way.put({ bytes, to, gateway: crosses ? gateways[goal]?.down : undefined }, due + min + (max - min) * random())
}

function arrive(packet: Packet): void {
  const { bytes, to, gateway } = packet
  const length = bytes.length - ENVELOPE
  const entered = gateway === undefined ? now() : gateway.carry(length, now())
  const down = links.get(to)?.down
  const due = entered === undefined || down === undefined ? entered : down.carry(length, entered)
  if (due === undefined) return
  if (gateway === undefined && down === undefined) send(bytes, to)
  else lineOf(doors, to, ({ bytes, to }) => send(bytes, to)).put(packet, due)
}

function lineOf<Key>(lines: Map<Key, Line<Packet>>, key: Key, deliver: (packet: Packet) => void): Line<Packet> {
  let line = lines.get(key)
  if (line === undefined) lines.set(key, (line = new Line(deliver, now)))
  return line
}

function send(bytes: Buffer, to: number): void {
  sockets.get(to)?.send(bytes, base + to, there)
}

parentPort?.on('message', (order: ForwarderOrder) => {
  if (order.type === 'locate') sites.set(order.host, order.site)
  else if (order.bits === undefined) links.delete(order.host)
  else links.set(order.host, { up: new Pipe(order.bits), down: new Pipe(order.bits) })
})

await Promise.all(
  Array.from({ length: hosts }, async (_, index) => {
    const host = index + 1
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 2 ** 20 })
    socket.on('message', (bytes) => take(bytes, host))
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.bind(base + host, here, resolve)
    await promise
    sockets.set(host, socket)
  }),
)
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage('ready')
