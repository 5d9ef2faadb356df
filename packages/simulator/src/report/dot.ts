import { lives, type Actor } from '../user/actor.ts'

/** The links between living nodes as a graph in DOT, the language of Graphviz. Nodes that run are circles, others are dotted. */
export function overlayDot(actors: readonly Actor[]): string {
  const numbers = new Map(actors.map(({ node, number }) => [node.id, number]))
  const lines = ['graph overlay {', '  node [shape=circle]']
  for (const actor of actors.filter(lives)) {
    const { node, number, place } = actor
    const style = node.state === 'running' && !actor.silent ? '' : ', style=dotted'
    lines.push(
      `  ${number} [tooltip=${JSON.stringify([`machine ${place.machine}`, `rack ${place.rack}`, place.site ?? ''].join(' ').trim())}${style}]`,
    )
  }
  for (const { node, number } of actors.filter(lives)) {
    for (const peer of [...node.endpoint.connections.keys()].map((id) => numbers.get(id) ?? -1).sort((a, b) => a - b)) {
      // Each link once; one that only one end still holds as well.
      const other = actors[peer]
      if (other === undefined || !lives(other)) continue
      if (number < peer || !other.node.endpoint.connections.has(node.id)) lines.push(`  ${number} -- ${peer}`)
    }
  }
  lines.push('}', '')
  return lines.join('\n')
}
