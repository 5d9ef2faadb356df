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
 * The nodes that can dial a node: all; those of its own site, as behind a shared firewall or NAT;
 * or none, as behind a NAT of its own. All of them can dial others.
 */
export type Dialable = boolean | 'site'

export interface EndpointFields {
  readonly index: number
  readonly id: NodeId
  readonly machine: Machine
  /** The number of the process on its machine: its port. */
  readonly process: number
  readonly dialable: Dialable
  /** The bandwidth of the node alone, beside the load of its machine's cable. */
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
  /** Its own cable, its machine's cable or its machine's processor delay packets. */
  readonly shapes: boolean
  readonly traffic: Traffic
  readonly events: EndpointEvents
  /** The process exists. It may be stopped. */
  listening = true
  /** The process runs. Otherwise only its kernel accepts connections. */
  awake = true
  /**
   * Its machine's cable is pulled: no packet passes and nothing is refused, except between
   * processes of the machine.
   */
  silent = false
  /** Endpoints on different sides of a partition don't reach each other. */
  side = 0
  /** The share of its packets that are lost, both ways, beside the losses of the network. */
  loss = 0
  /** The additional delay of each of its packets, both ways. */
  lag: Milliseconds = 0
  /**
   * Open connections by peer. Several at once are one link. The newest one carries outgoing data.
   */
  readonly connections = new Map<NodeId, Connection<Endpoint>[]>()
  /**
   * Connections for streams of the application; they are no links. The oldest one carries outgoing
   * data, so that nothing overtakes.
   */
  readonly applications = new Map<NodeId, Connection<Endpoint>[]>()
  /** The most links that it ever had at once. */
  mostLinks = 0
  /** The peers of its mesh, with which it exchanges broadcasts in full. */
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
