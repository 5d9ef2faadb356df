/** The classes of traffic. */
export const trafficClasses = [
  /** Opening and closing links: TCP, Noise, yamux and streams. Also host probes. */
  'set-up',
  /** Hello, redirect, goodbye. */
  'introduction',
  /** Joins, leaves and deaths: facts sent directly. */
  'statements',
  /** Candidacies and claims sent directly. */
  'elections',
  'reconciliation',
  'probes',
  /** Suspicions and refutations. */
  'alarms',
  'signals',
  /** Messages of the topic, duplicates included. */
  'broadcasts',
  /** Other messages of gossipsub: subscriptions, grafts, prunes, lazy gossip. */
  'gossip control',
  /** Packets of TCP without data. */
  'acknowledgements',
  /** Messages of members about jobs, on streams of the application. */
  'jobs',
  'other',
] as const

export type TrafficClass = (typeof trafficClasses)[number]

/** The number of a traffic class, for counting. */
export type ClassNumber = number

const numbers = new Map<TrafficClass, ClassNumber>(trafficClasses.map((trafficClass, number) => [trafficClass, number]))

export function classNumber(trafficClass: TrafficClass): ClassNumber {
  return numbers.get(trafficClass) as ClassNumber
}

/**
 * Messages and their bytes on the wire, with all overhead (framing, encryption, TCP and IP
 * headers).
 */
export interface Flow {
  readonly messages: number
  readonly bytes: number
}

/** One direction of a node's traffic, by class. */
export class Counter {
  /** By class: messages, then bytes. */
  readonly #counts = new Float64Array(2 * trafficClasses.length)
  /** The bytes of IP and TCP headers. All other bytes passed through sockets. */
  headerBytes = 0

  add(trafficClass: ClassNumber, bytes: number, messages = 1): void {
    const at = 2 * trafficClass
    this.#counts[at] = (this.#counts[at] as number) + messages
    this.#counts[at + 1] = (this.#counts[at + 1] as number) + bytes
  }

  of(trafficClass: TrafficClass): Flow {
    const number = classNumber(trafficClass)
    return { messages: this.#counts[2 * number] as number, bytes: this.#counts[2 * number + 1] as number }
  }

  get messages(): number {
    return this.#counts.reduce((sum, each, i) => (i % 2 === 0 ? sum + each : sum), 0)
  }

  get bytes(): number {
    return this.#counts.reduce((sum, each, i) => (i % 2 === 1 ? sum + each : sum), 0)
  }
}

/**
 * The traffic of one node. {@link sent} and {@link received} count bytes on the wire, the other
 * fields the payload only.
 */
export class Traffic {
  readonly sent = new Counter()
  readonly received = new Counter()
  framesSent = 0
  frameBytesSent = 0
  framesReceived = 0
  frameBytesReceived = 0
  /** Copies of broadcasts handed to a link: the node's own and forwarded broadcasts. */
  broadcastsSent = 0
  broadcastBytesSent = 0
  /** Copies that arrived, duplicates included. */
  broadcastsReceived = 0
  broadcastBytesReceived = 0
  /** Repeated copies among the copies that arrived. */
  broadcastDuplicates = 0
  dials = 0
  /** Dials of the application, for its streams. */
  applicationDials = 0
  hostProbes = 0

  /** The payload of frames and broadcasts, without overhead. */
  get bytesSent(): number {
    return this.frameBytesSent + this.broadcastBytesSent
  }

  get bytesReceived(): number {
    return this.frameBytesReceived + this.broadcastBytesReceived
  }
}
