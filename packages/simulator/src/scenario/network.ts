/** The network of a scenario. */
import * as z from 'zod'
import type { Milliseconds } from '@jel/protocol'
import { amount, bandwidth, count, durationRange, share, type DurationRange } from './quantity.ts'
import { choice, mapping, show, Unfit, word } from './schema-kit.ts'

/** The sets of sites that come with the simulator. */
export const siteSets = ['das3', 'table-iv', 'wide-area'] as const
export type SiteSet = (typeof siteSets)[number]

/** One way. */
export interface SiteFields {
  /** Between two machines of the site. */
  readonly within: DurationRange
  /** To machines of other sites, one way; what one of the two says holds for both ways, unless the other says otherwise. */
  readonly to: Readonly<Record<string, DurationRange>>
  /** Its share of the nodes, in proportion to those of the others. */
  readonly weight: number
  /** Of the link that all of the site share, bits a second. */
  readonly bandwidth?: number
}

export type Sites = SiteSet | Readonly<Record<string, SiteFields>>

/** Bits a second. */
export interface NodeBandwidth {
  readonly up?: number
  readonly down?: number
  /** Of the link that the nodes of one machine share, each way. */
  readonly machine?: number
}

export interface ScenarioNetwork {
  /** One way, equally likely in between. With `sites` the matrix says it instead. */
  readonly delay: DurationRange
  readonly sites?: Sites
  readonly bandwidth: NodeBandwidth
  readonly nodesPerMachine: number
  readonly machinesPerRack: number
  /** Share of the packets that get lost, 0 to 1. */
  readonly loss: number
  /** Share of the nodes that can dial but can't be dialled, 0 to 1. The first node always can. */
  readonly nat: number
}

const site = mapping({
  within: durationRange.default({ min: 0.1, max: 0.5 }).describe('delay between two machines of the site, one way'),
  to: z.record(z.string(), durationRange).default({}).describe('delay to other sites, one way; holds for the way back, too'),
  weight: amount(0).default(1).describe('its share of the nodes, in proportion to the others'),
  bandwidth: bandwidth.exactOptional().describe('of the link that all of the site share'),
})

const ownSites = z.record(z.string(), site)
const shippedSet = word(siteSets, 'set of sites')

const sites: z.ZodType<Sites> = choice<Sites>([shippedSet, ownSites], (value) => {
  if (typeof value === 'string') return shippedSet
  return typeof value === 'object' && value !== null
    ? ownSites
    : new Unfit(`expected ${siteSets.join(', ')}, or sites of your own; not ${show(value)}`)
})

const bothWays = bandwidth.transform((both): NodeBandwidth => ({ up: both, down: both }))
const eachWay: z.ZodType<NodeBandwidth> = mapping({
  up: bandwidth.exactOptional(),
  down: bandwidth.exactOptional(),
  machine: bandwidth.exactOptional().describe('of the link that the nodes of one machine share'),
})

const milli: Milliseconds = 1

export const network: z.ZodType<ScenarioNetwork> = mapping({
  delay: durationRange.default({ min: 0.1 * milli, max: 0.5 * milli }).describe('one way, such as 10ms or 1ms..20ms'),
  sites: sites.exactOptional().describe('a set that is shipped, or one of your own'),
  bandwidth: choice<NodeBandwidth>([bothWays, eachWay], (value) => (typeof value === 'object' ? eachWay : bothWays))
    .default({})
    .describe('of each node, both ways; default: without limit'),
  nodesPerMachine: count(1).default(1),
  machinesPerRack: count(1).default(1),
  loss: share.default(0).describe('share of the packets that get lost'),
  nat: share.default(0).describe('share of the nodes that can dial but can’t be dialled'),
})
