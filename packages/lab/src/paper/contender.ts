/** Who is compared: the six curves of the paper's figures, and this project's protocol. */
import { defaultConfig, ProtocolNode } from '@jel/protocol'
import { baselines, type BaselineName, type NodeFactory } from './baselines/index.ts'

export type Contender = BaselineName | 'jel'

/** Named as in Table II. */
export const titles: Readonly<Record<Contender, string>> = {
  'serial-send': 'serial send',
  'peer-bootstrap': 'peer bootstrap',
  'broadcast-tree': 'broadcast tree',
  gossip: 'gossip',
  'adaptive-gossip': 'adaptive gossip',
  distributed: 'distributed',
  jel: 'jel (this project)',
}

export const contenders = Object.keys(titles) as Contender[]

/** The baselines have a node for server or bootstrap service; here the first member is as good as any. */
export function hasService(contender: Contender): boolean {
  return contender !== 'jel'
}

export function factoryOf(contender: Contender): NodeFactory {
  return contender === 'jel' ? (parts) => new ProtocolNode({ ...parts, config: defaultConfig }) : baselines[contender]()
}

/** Its title, and how many nodes there were where that was not the size of the experiment. */
export function label({
  contender,
  scale,
  nodes,
}: {
  readonly contender: Contender
  readonly scale: number
  readonly nodes: number
}): string {
  return scale === 1 ? titles[contender] : `${titles[contender]} (${nodes} nodes)`
}
