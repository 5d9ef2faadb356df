/** The addresses of members behind a relay: `/p2p/<relay>/p2p-circuit/p2p/<member>`. */
import type { NodeId } from '@jel/protocol'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'

export function circuitAddress(relay: NodeId, member: NodeId): Multiaddr {
  return multiaddr(`/p2p/${relay}/p2p-circuit/p2p/${member}`)
}

/** Returns the relay and the member of such an address; undefined: it is another address. */
export function circuitOf(address: Multiaddr): { readonly relay: NodeId; readonly member: NodeId } | undefined {
  const parts = address.getComponents()
  const [first, circuit, last] = parts
  if (parts.length !== 3 || first?.name !== 'p2p' || circuit?.name !== 'p2p-circuit' || last?.name !== 'p2p') return undefined
  return first.value === undefined || last.value === undefined ? undefined : { relay: first.value, member: last.value }
}
