/** The network of a scenario. */
import * as v from 'valibot'
import type { Milliseconds } from '@jel/protocol'
import { topologies, type TopologyName } from '../network/topologies/shipped.ts'
import type { Dialable } from '../network/endpoint.ts'
import { amount, bandwidth, count, duration, durationRange, loss, share, type DurationRange } from './quantity.ts'
import { about, choice, mapping, named, parsed, show, Unfit, word, type Schema } from './schema-kit.ts'

/** The topologies that come with the simulator. */
export const topologyNames = Object.keys(topologies) as TopologyName[]

/** One site that the scenario defines. */
export interface SiteFields {
  /** The delay between two machines of the site, one way. */
  readonly within: Milliseconds
  /**
   * The delays to other sites, one way. The value of one site holds for both ways, unless the other
   * site has a value of its own.
   */
  readonly to: Readonly<Record<string, Milliseconds>>
  /** Its share of the nodes, relative to the weights of the other sites. */
  readonly weight: number
  /** The bandwidth of the cable that the whole site shares, each way. */
  readonly bandwidth?: SiteBandwidth
  readonly dialable: Dialable
}

/** Bits a second. */
export interface SiteBandwidth {
  readonly up?: number
  readonly down?: number
}

/** Bits a second. */
export interface NodeBandwidth extends SiteBandwidth {
  /** The bandwidth of the cable that the nodes of one machine share, each way. */
  readonly machine?: number
  /**
   * The bandwidth of the server of a central implementation of the paper. Default: the bandwidth of
   * a node.
   */
  readonly service?: number
}

export type Sites = TopologyName | Readonly<Record<string, SiteFields>>

/** The processors of a machine. A node has one thread, so it uses one processor. */
interface Processors {
  readonly count: number
  /** The speed of each processor. A processor of speed 1 has the measured costs. */
  readonly speed: number
}

export interface ScenarioNetwork {
  /** The one-way delay, uniformly distributed. `sites` replaces it. */
  readonly delay: DurationRange
  readonly sites?: Sites
  /**
   * Between sites that the scenario defines, a packet takes up to this share longer than the delay,
   * 0 to 1.
   */
  readonly jitter: number
  readonly bandwidth: NodeBandwidth
  readonly nodesPerMachine: number
  readonly machinesPerRack: number
  /** The processors of each machine. Default: nothing takes time. */
  readonly processor?: Processors
  /** The share of packets that get lost, 0 to below 1. */
  readonly loss: number
  /**
   * The share of the nodes that can dial others, but that others can't dial, 0 to 1. Others can
   * always dial the first node.
   */
  readonly nat: number
}

/** `4`, `0.5`, `{ count: 4, speed: 0.5 }`. */
const counted = parsed(amount(0.01), (value): Processors | Unfit => {
  if (value <= 1) return { count: 1, speed: value }
  if (Number.isInteger(value)) return { count: value, speed: 1 }
  return new Unfit(`expected a whole number of processors, a part of one, or both as { count, speed }; not ${value}`)
})
const described: Schema<Processors> = mapping({ count: v.exactOptional(count(1), 1), speed: v.exactOptional(amount(0.01), 1) })
const processors = choice<Processors>([counted, described], (value) => (typeof value === 'object' && value !== null ? described : counted))

/** Parses one figure for both ways, or a figure for each way. */
function ways(more: v.ObjectEntries = {}): Schema<NodeBandwidth> {
  const both = parsed(bandwidth, (rate): NodeBandwidth => ({ up: rate, down: rate }))
  const each = mapping({
    up: v.exactOptional(bandwidth),
    down: v.exactOptional(bandwidth),
    ...more,
  }) as unknown as Schema<NodeBandwidth>
  return choice<NodeBandwidth>([both, each], (value) => (typeof value === 'object' ? each : both))
}

const dialable = parsed(word(['by all', 'from the site', 'by nobody'], 'reachability'), (whom): Dialable =>
  whom === 'from the site' ? 'site' : whom === 'by all',
)

const site: Schema<SiteFields> = mapping({
  within: v.exactOptional(about(duration, 'delay between two machines of the site, one way; default: 0.1ms'), '0.1ms'),
  to: v.exactOptional(about(named(duration), 'delay to other sites, one way; holds for the way back, too'), {}),
  weight: v.exactOptional(about(amount(0), 'its share of the nodes, in proportion to the others'), 1),
  bandwidth: v.exactOptional(about(ways(), 'of the cable that all of the site share')),
  dialable: v.exactOptional(
    about(dialable, 'who can dial its nodes: by all, from the site (behind a firewall), by nobody (each behind a NAT)'),
    'by all',
  ),
})

const ownSites = named(site)
const shipped = word(topologyNames, 'topology')

const sites: Schema<Sites> = choice<Sites>([shipped, ownSites], (value) => {
  if (typeof value === 'string') return shipped
  return typeof value === 'object' && value !== null
    ? ownSites
    : new Unfit(`expected ${topologyNames.join(', ')}, or sites of your own; not ${show(value)}`)
})

export const network: Schema<ScenarioNetwork> = mapping({
  delay: v.exactOptional(about(durationRange, 'one way, such as 10ms or 1ms..20ms; default: processes of one machine'), '0.1ms..0.5ms'),
  sites: v.exactOptional(about(sites, 'where machines stand, instead of delay: a topology that is shipped, or sites of your own')),
  jitter: v.exactOptional(about(share, 'between sites of your own, each packet takes up to this share longer'), '10%'),
  bandwidth: v.exactOptional(
    about(
      ways({
        machine: v.exactOptional(about(bandwidth, 'of the cable that the nodes of one machine share')),
        service: v.exactOptional(about(bandwidth, 'of the server, where a central implementation of the paper is run')),
      }),
      'of each node; default: without limit',
    ),
    {},
  ),
  nodesPerMachine: v.exactOptional(count(1), 1),
  machinesPerRack: v.exactOptional(count(1), 1),
  processor: v.exactOptional(
    about(
      processors,
      'what the nodes of one machine share: 4 processors; half of one (0.5); { count: 4, speed: 0.5 }; default: nothing takes time',
    ),
  ),
  loss: v.exactOptional(about(loss, 'share of the packets that get lost'), 0),
  nat: v.exactOptional(about(share, 'share of the nodes that can dial but can’t be dialled'), 0),
})
