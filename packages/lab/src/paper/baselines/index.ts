/**
 * The implementations that the JEL paper compares (§5), for the simulator only: five ways of the
 * central one, and the distributed one.
 *
 * In each the node that starts without an introducer is the service (the registry server, or ARRG's
 * bootstrap service). It is no member of the pool. All others have it as their introducer.
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

/** By name, a function that makes the factory for one simulation. */
export const baselines = Object.fromEntries([...central, ['distributed', () => distributed()]]) as Readonly<
  Record<BaselineName, () => NodeFactory>
>
