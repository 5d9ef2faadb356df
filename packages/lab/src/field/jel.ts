/** `jel` itself: `jel join --json`. */
import { startNode } from '../swarm/start-node.ts'
import type { Contender, News } from './contender.ts'

export function jel(bin: string, version: string): Contender {
  return {
    name: 'jel',
    title: `jel ${version}, node ${process.version}`,
    start: async ({ network, host, number, group }, introducer, tell) => {
      const node = await startNode(
        {
          bin,
          pool: group,
          args: ['--location', `n${number}`, ...(introducer === undefined ? [] : ['--bootstrap', introducer])],
          within: network.within(host),
        },
        {
          line: (_, { event, node }) => {
            if (node !== undefined && isNews(event)) tell({ type: event, about: node.id })
          },
          complaint: () => {},
          ended: () => {},
        },
      )
      return { name: node.id, child: node.child, address: node.address, entered: Date.now() }
    },
  }
}

function isNews(event: string): event is News['type'] {
  return event === 'joined' || event === 'left' || event === 'died'
}
