import type { Milliseconds, NodeId } from '@jel/protocol'
import { cables, type Bandwidth, type Cables } from './bandwidth.ts'
import type { Connection, ConnectionUse } from './connection.ts'
import type { GossipControl } from './gossip-control.ts'
import type { GossipMessage } from './gossip-message.ts'
import type { Machine } from './machine.ts'
import type { Traffic } from './traffic.ts'
import type { Payload } from './payload.ts'

/** What the network tells a process. */
export interface EndpointEvents {
  linkUp(peer: Endpoint, dialable: boolean): void
  linkDown(peer: Endpoint): void
  /** `urgent`: it came on the stream of failure detection. */
  frame(from: Endpoint, data: Payload, urgent: boolean): void
  message(from: Endpoint, message: GossipMessage): void
  control(from: Endpoint, control: GossipControl): void
  /** A connection for streams of the application is open, or gone, or brought something. */
  applicationUp(peer: Endpoint): void
  applicationDown(peer: Endpoint): void
  application(from: Endpoint, data: Payload): void
}

/**
 * Who can dial a node: everybody; those of its own site, as behind a firewall or a NAT that all of them share; or nobody, as behind a NAT
 * of its own. All of them can dial others.
 */
export type Dialable = boolean | 'site'

export interface EndpointFields {
  readonly index: number
  readonly id: NodeId
  readonly machine: Machine
  /** The number of the process on its machine: its port. */
  readonly process: number
  readonly dialable: Dialable
  /** Of the node alone, beside what its machine's cable carries. */
  readonly bandwidth?: Bandwidth | undefined
  readonly traffic: Traffic
  readonly events: EndpointEvents
}

/** One process as the network sees it. */
export class Endpoint {
  /** In the order of starting. */
  readonly index: number
  readonly id: NodeId
  readonly machine: Machine
  readonly process: number
  readonly dialable: Dialable
  readonly cables: Cables
  /** Its own cable, its machine's or its machine's processor make packets wait. */
  readonly shapes: boolean
  readonly traffic: Traffic
  readonly events: EndpointEvents
  /** The process runs, or is at least stopped and not dead. */
  listening = true
  /** The process does something; otherwise its kernel accepts for it. */
  awake = true
  /** Its machine's cable is pulled: nothing comes, nothing goes, nothing is refused, but between processes of the machine. */
  silent = false
  /** Endpoints on different sides of a partition don't reach each other. */
  side = 0
  /** Share of its packets that get lost both ways, beside what the network loses. */
  loss = 0
  /** How much longer each of its packets takes, both ways. */
  lag: Milliseconds = 0
  /** Open connections by peer. Several at once are one link; the newest carries what is sent. */
  readonly connections = new Map<NodeId, Connection[]>()
  /** Those for streams of the application, which are no links. The oldest carries what is sent, so that nothing overtakes. */
  readonly applications = new Map<NodeId, Connection[]>()
  /** The most links that it ever had at once. */
  mostLinks = 0
  /** With whom broadcasts are exchanged in full. */
  readonly mesh = new Map<NodeId, Endpoint>()

  constructor(fields: EndpointFields) {
    this.index = fields.index
    this.id = fields.id
    this.machine = fields.machine
    this.process = fields.process
    this.dialable = fields.dialable
    this.cables = cables(fields.bandwidth)
    this.traffic = fields.traffic
    this.events = fields.events
    const { up, down } = this.cables
    const { up: machineUp, down: machineDown } = fields.machine.cables
    this.shapes = (up ?? down ?? machineUp ?? machineDown) !== undefined || fields.machine.computes
  }

  connectionsFor(use: ConnectionUse): Map<NodeId, Connection[]> {
    return use === 'link' ? this.connections : this.applications
  }

  dialableFrom(other: Endpoint): boolean {
    if (this.dialable === 'site') return this.machine.site === other.machine.site
    return this.dialable
  }
}
