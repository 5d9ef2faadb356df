import type { Codec, Introducer, Milliseconds } from '@jel/protocol'
import type { Bandwidth } from './network/bandwidth.ts'
import type { Dialable } from './network/endpoint.ts'
import type { GossipOptions } from './network/gossip-options.ts'
import type { Machine } from './network/machine.ts'
import type { NetworkOptions } from './network/network-options.ts'
import type { Payload } from './network/payload.ts'
import type { FalseDeath } from './protocol/ended-lives.ts'
import type { Identity, Scheme } from './protocol/identity.ts'
import type { SimulatedNode } from './protocol/node.ts'
import type { Protocol, ProtocolParts } from './protocol/protocol.ts'

export interface SimulationOptions<P extends Protocol> {
  /** The seed. One seed gives one history. */
  readonly seed: number
  readonly createProtocol: (parts: ProtocolParts) => P
  readonly pool?: string
  readonly network?: Partial<NetworkOptions>
  readonly gossip?: Partial<GossipOptions>
  /** Default: signatures that cost next to nothing. */
  readonly scheme?: Scheme
  /** The encoding of messages. The default encodes nothing, because that is faster. */
  readonly codec?: Codec<Payload>
  /**
   * A process runs at least this long after its left-statement, ms. Pending data goes out
   * meanwhile. Default: 100 ms.
   */
  readonly leaveFlush?: Milliseconds
  /**
   * Each node keeps its notifications. Default: yes. With thousands of nodes the notifications take
   * most of the memory.
   */
  readonly keepNews?: boolean
  /** Checks the promises of the protocol as it runs. Default: yes. */
  readonly checkPromises?: boolean
  /**
   * Called when a node falsely reports the death of a running member. Default: throws, unless
   * `checkPromises` is false.
   */
  readonly onFalseDeath?: (death: FalseDeath) => void
}

export interface SpawnOptions {
  /**
   * Another protocol for this node, such as a hostile protocol. The node then does not count as
   * honest.
   */
  readonly createProtocol?: (parts: ProtocolParts) => Protocol
  /**
   * The node enters through these nodes or addresses. Without introducers the node founds a pool.
   */
  readonly introducers?: readonly (SimulatedNode | Introducer)[]
  readonly location?: string
  readonly tag?: Uint8Array
  /** An existing key pair, for example of an identity file. Default: a new key pair. */
  readonly identity?: Identity
  /** The incarnation in the identity file. */
  readonly storedIncarnation?: number
  /** Default: the setting of its site. Without that setting all nodes can dial it. */
  readonly dialable?: Dialable
  /** Default: a machine of its own, with the defaults of {@link MachineOptions}. */
  readonly machine?: Machine
  /** The site of the node's own machine. Default: the first site of the topology. */
  readonly site?: string
  /** The bandwidth of this node alone. Its machine's cable may limit the node further. */
  readonly bandwidth?: Bandwidth
  /** Takes over the machine and address of a node that is gone. */
  readonly machineOf?: SimulatedNode
  /** The delay until the node starts, ms. Default: 0. */
  readonly after?: Milliseconds
}

export interface MachineOptions {
  /** Default: the first site of the topology. */
  readonly site?: string | undefined
  /** The bandwidth of the cable. All nodes of the machine share it. Default: unlimited. */
  readonly bandwidth?: Bandwidth | undefined
  /**
   * The speed of each processor. A processor of speed 1 has the measured costs. All nodes of the
   * machine share the processors. Default: nothing takes time.
   */
  readonly speed?: number | undefined
  /** The number of processors. A node uses one processor. Default: 1. */
  readonly processors?: number | undefined
}
