/** Which nodes a scenario means. */
import { pickSome } from '@jel/protocol'
import type { IntegerRange, Place, Targets } from '@jel/simulator'
import type { LabNode } from './pool.ts'

export interface Selectable {
  readonly nodes: readonly LabNode[]
  readonly places: readonly Place[]
  /** The node that wins an election in the eyes of most. */
  readonly winner: (election: string) => LabNode | undefined
  readonly random: () => number
}

/** Those who run and for whom all conditions hold. */
export function select(targets: Targets, { nodes, places, winner, random }: Selectable): LabNode[] {
  const { nodes: numbers, site, rack, machine, nat, winner: election, share, count } = targets
  const first = election === undefined ? undefined : winner(election)
  const meant = nodes.filter((node) => {
    const place = places[node.index]
    if (!node.running || place === undefined) return false
    if (numbers !== undefined && !isIn(node.index, numbers)) return false
    if (site !== undefined && !site.includes(place.site ?? '')) return false
    if (rack !== undefined && !isIn(place.rack, rack)) return false
    if (machine !== undefined && !isIn(place.machine, machine)) return false
    if (nat !== undefined && nat !== node.host.hidden) return false
    return election === undefined || node === first
  })
  const size = count ?? (share === undefined ? meant.length : Math.max(share > 0 ? 1 : 0, Math.round(meant.length * share)))
  return size >= meant.length ? meant : pickSome(random, meant, size)
}

function isIn(number: number, ranges: readonly IntegerRange[]): boolean {
  return ranges.some(({ first, last }) => number >= first && number <= last)
}
