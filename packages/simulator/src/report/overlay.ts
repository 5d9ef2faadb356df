import { lives, type Actor } from '../truth/actor.ts'

/** The links between living nodes at one time. */
export interface Overlay {
  readonly nodes: readonly {
    readonly number: number
    readonly machine: number
    readonly rack: number
    readonly site: string | undefined
    /** False if the process is stopped or busy, or its cable is pulled. */
    readonly runs: boolean
  }[]
  /** The numbers of the two ends. Each link appears once, even if only one end still holds it. */
  readonly links: readonly (readonly [from: number, to: number])[]
}

export function overlayOf(actors: readonly Actor[]): Overlay {
  const living = actors.filter(lives)
  const numbers = new Map(actors.map(({ node, number }) => [node.id, number]))
  return {
    nodes: living.map(({ node, number, place: { machine, rack, site }, silent }) => ({
      number,
      machine,
      rack,
      site,
      runs: node.state === 'running' && !silent,
    })),
    links: living.flatMap(({ node, number }) =>
      [...node.endpoint.connections.keys()]
        .map((id) => numbers.get(id) ?? -1)
        .toSorted((a, b) => a - b)
        .flatMap((peer) => {
          const other = actors[peer]
          if (other === undefined || !lives(other)) return []
          return number < peer || !other.node.endpoint.connections.has(node.id) ? [[number, peer] as const] : []
        }),
    ),
  }
}

/**
 * Writes the overlay in DOT, the language of Graphviz. Nodes that run are circles. Other nodes are
 * dotted circles.
 */
export function overlayDot({ nodes, links }: Overlay): string {
  const drawn = nodes.map(({ number, machine, rack, site, runs }) => {
    const tooltip = JSON.stringify([`machine ${machine}`, `rack ${rack}`, site ?? ''].join(' ').trim())
    return `  ${number} [tooltip=${tooltip}${runs ? '' : ', style=dotted'}]`
  })
  return ['graph overlay {', '  node [shape=circle]', ...drawn, ...links.map(([from, to]) => `  ${from} -- ${to}`), '}', ''].join('\n')
}
