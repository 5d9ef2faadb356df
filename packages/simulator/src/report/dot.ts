import type { Overlay } from './overlay.ts'

/**
 * Writes the overlay in DOT, the language of Graphviz. Nodes that run are circles, others are
 * dotted.
 */
export function overlayDot({ nodes, links }: Overlay): string {
  const drawn = nodes.map(({ number, machine, rack, site, runs }) => {
    const tooltip = JSON.stringify([`machine ${machine}`, `rack ${rack}`, site ?? ''].join(' ').trim())
    return `  ${number} [tooltip=${tooltip}${runs ? '' : ', style=dotted'}]`
  })
  return ['graph overlay {', '  node [shape=circle]', ...drawn, ...links.map(([from, to]) => `  ${from} -- ${to}`), '}', ''].join('\n')
}
