/**
 * The implementations that the JEL paper compares (§5), for the simulator only: the central
 * implementation with five techniques, and the distributed implementation.
 *
 * In each, the node without an introducer is the service (the registry server, or ARRG's bootstrap
 * service). The service is not a member of the pool. It is the introducer of all other nodes.
 */
import type { Protocol, ProtocolParts } from '@jel/simulator'
import { CentralNode, centralTechniques } from './central.ts'
import { NodeNumbers } from './node-numbers.ts'
import { DistributedNode } from './distributed.ts'
import { distributedSettings, type DistributedSettings } from './distributed-settings.ts'

export type BaselineName = keyof typeof centralTechniques | 'distributed'

/** Makes the nodes of one simulation. */
export type NodeFactory = (parts: ProtocolParts) => Protocol

const central = Object.entries(centralTechniques).map(([name, technique]): [string, () => NodeFactory] => [
  name,
  () => (parts) => new CentralNode(parts, technique),
])

export function distributed(settings: Partial<DistributedSettings> = {}): NodeFactory {
  const numbers = new NodeNumbers()
  return (parts) => new DistributedNode(parts, { ...distributedSettings, ...settings }, numbers)
}

export type { DistributedSettings } from './distributed-settings.ts'
export { assumeMemberBytes } from './sizes.ts'

/** For each name, a function that makes the node factory of one simulation. */
export const baselines = Object.fromEntries([...central, ['distributed', () => distributed()]]) as Readonly<
  Record<BaselineName, () => NodeFactory>
>
