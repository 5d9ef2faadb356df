import type { Milliseconds, NodeId } from '@jel/protocol'
import { cables, type Bandwidth, type Cables } from './bandwidth.ts'
import type { Connection, ConnectionUse } from './connection.ts'
import type { GossipControl } from './gossip-control.ts'
import type { GossipMessage } from './gossip-message.ts'
import type { Machine } from './machine.ts'
import type { Traffic } from './traffic.ts'
import type { Payload } from './payload.ts'

/** The network's calls to a process. */
export interface EndpointEvents {
  linkUp(peer: Endpoint, dialable: boolean): void
  linkDown(peer: Endpoint): void
  /** `urgent`: the frame came on the stream of failure detection. */
  frame(from: Endpoint, data: Payload, urgent: boolean): void
  message(from: Endpoint, message: GossipMessage): void
  control(from: Endpoint, control: GossipControl): void
  /** A connection for streams of the application opened, ended, or delivered data. */
  applicationUp(peer: Endpoint): void
  applicationDown(peer: Endpoint): void
  application(from: Endpoint, data: Payload): void
}

/**
 * The nodes that can dial a node. `true`: all nodes. `site`: the nodes of its own site, as behind a
 * shared firewall or NAT. `false`: no node, as behind a NAT of its own. The node itself can dial
 * others in all cases.
 */
export type Dialable = boolean | 'site'

export interface EndpointFields {
  readonly index: number
  readonly id: NodeId
  readonly machine: Machine
  /** The number of the process on its machine: its port. */
  readonly process: number
  readonly dialable: Dialable
  /** The bandwidth of the node alone. Its machine's cable may limit the node further. */
  readonly bandwidth?: Bandwidth | undefined
  readonly traffic: Traffic
  readonly events: EndpointEvents
}

/** One process as the network models it. */
export class Endpoint {
  /** Its position in the order of starting. */
  readonly index: number
  readonly id: NodeId
  readonly machine: Machine
  readonly process: number
  readonly dialable: Dialable
  readonly cables: Cables
  /** True if its own cable, its machine's cable or its machine's processor may delay packets. */
  readonly shapes: boolean
  readonly traffic: Traffic
  readonly events: EndpointEvents
  /** True while the process exists, even if it is stopped. */
  listening = true
  /** True while the process runs. Otherwise only its kernel accepts connections. */
  awake = true
  /**
   * True if its machine's cable is pulled. Then no packet passes, and no host refuses one.
   * Processes of the machine still reach each other.
   */
  silent = false
  /** Endpoints on different sides of a partition don't reach each other. */
  side = 0
  /**
   * The share of its packets that get lost, both ways, in addition to the losses of the network.
   */
  loss = 0
  /** The additional delay of each of its packets, both ways. */
  lag: Milliseconds = 0
  /**
   * Open connections by peer. Several connections to a peer are one link. The newest connection
   * carries outgoing data.
   */
  readonly connections = new Map<NodeId, Connection<Endpoint>[]>()
  /**
   * Connections for streams of the application. They are no links. The oldest connection carries
   * all outgoing data, so that the data stays in order.
   */
  readonly applications = new Map<NodeId, Connection<Endpoint>[]>()
  /** The most links that the process had at once. */
  mostLinks = 0
  /** The circuits that it relays. */
  readonly circuits = new Set<Connection<Endpoint>>()
  /** The peers of its mesh. It exchanges full broadcasts with them. */
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

  connectionsFor(use: ConnectionUse): Map<NodeId, Connection<Endpoint>[]> {
    return use === 'link' ? this.connections : this.applications
  }

  dialableFrom(other: Endpoint): boolean {
    if (this.dialable === 'site') return this.machine.site === other.machine.site
    return this.dialable
  }
}
