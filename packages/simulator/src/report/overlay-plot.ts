import type { Overlay } from './overlay.ts'
import { colours, font } from './plot.ts'

export interface OverlayPlot {
  readonly title: string
  readonly subtitle?: string
}

/** Lengths in pixels. */
const size = 720
const header = 56
const legendLine = 20
const nodeRadius = 5
/** The distance between two nodes of a site, along its circle. */
const apart = 13

/**
 * Draws an overlay as an SVG document: each site as a circle of nodes in a colour of its own, each
 * link as a line.
 */
export function overlayPlot({ nodes, links }: Overlay, { title, subtitle = '' }: OverlayPlot): string {
  const sites = [...new Set(nodes.map(({ site }) => site ?? ''))]
  const bySite = sites.map((site) => nodes.filter((node) => (node.site ?? '') === site))
  const radii = bySite.map(({ length }) => (length === 1 ? 0 : Math.max(apart, (length * apart) / (2 * Math.PI))))
  const around = sites.length === 1 ? 0 : size / 2 - Math.max(...radii) - 2 * nodeRadius
  const places = new Map(
    bySite.flatMap((members, s) => {
      const [centreX, centreY] = onCircle(size / 2, size / 2, around, s / sites.length)
      return members.map(({ number }, i) => [number, onCircle(centreX, centreY, radii[s] as number, i / members.length)] as const)
    }),
  )
  const lines = links.flatMap(([from, to]) => {
    const [a, b] = [places.get(from), places.get(to)]
    return a === undefined || b === undefined ? [] : [`<path d="M${a.join(' ')}L${b.join(' ')}"/>`]
  })
  const dots = nodes.map(({ number, site, machine, runs }) => {
    const [x, y] = places.get(number) as readonly [number, number]
    const colour = colourOf(sites.indexOf(site ?? ''))
    const label = escaped(`node ${number}, machine ${machine}${site === undefined ? '' : `, ${site}`}`)
    return `<circle cx="${x}" cy="${y}" r="${nodeRadius}" fill="${runs ? colour : '#fff'}" stroke="${colour}"><title>${label}</title></circle>`
  })
  const legend = sites.map((site, s) => {
    const y = header + size + legendLine * (Math.floor(s / 4) + 0.5)
    const x = 20 + (s % 4) * (size / 4)
    const text = escaped(`${site === '' ? 'nodes' : site} (${bySite[s]?.length ?? 0})`)
    return `<circle cx="${x}" cy="${y}" r="${nodeRadius}" fill="${colourOf(s)}"/><text x="${x + 10}" y="${y + 4}" font-size="12">${text}</text>`
  })
  const height = header + size + legendLine * (Math.ceil(sites.length / 4) + 1)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${height}" width="${size}" height="${height}" font-family="${font}">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="10" y="22" font-size="15" font-weight="bold">${escaped(title)}</text>`,
    `<text x="10" y="42" font-size="12">${escaped(subtitle)}</text>`,
    `<g transform="translate(0 ${header})"><g stroke="#888" stroke-opacity="0.35" fill="none">${lines.join('')}</g>${dots.join('')}</g>`,
    ...legend,
    '</svg>',
    '',
  ].join('\n')
}

/** Returns a point on a circle. `turn`: 0 to 1, from the top, clockwise. */
function onCircle(x: number, y: number, radius: number, turn: number): readonly [number, number] {
  const angle = 2 * Math.PI * turn
  const round = (value: number): number => Math.round(value * 10) / 10
  return [round(x + radius * Math.sin(angle)), round(y - radius * Math.cos(angle))]
}

function colourOf(index: number): string {
  return colours[index % colours.length] as string
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
