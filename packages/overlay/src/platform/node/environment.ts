/** The parts of a node that only Node has: files, multicast, and ports that listen. */
import type { Introducer } from '@jel/protocol'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { MdnsDiscovery, wantsDiscovery } from '../../host/mdns-discovery.ts'
import type { mapPort } from '../../host/port-mapping.ts'
import { openIdentity } from '../../identity/file-identity.ts'
import { ephemeralIdentity, type Identity } from '../../identity/identity.ts'
import { PeersFile } from '../../identity/peers-file.ts'
import { RecordsFile } from '../../identity/records-file.ts'
import type { webListener } from '../../web/web-listener.ts'
import type { Saved } from '../types.ts'

/** The identity of a file. Undefined: a new key that is not stored. */
export async function identityOf(file: string | undefined): Promise<Identity> {
  return await (file === undefined ? ephemeralIdentity() : openIdentity(file))
}

export function openSaved(
  file: string | undefined,
  pool: string,
  warn: (code: 'PEERS_FILE' | 'RECORDS_FILE', message: string) => void,
): Saved {
  if (file === undefined) return { peers: undefined, records: undefined }
  return {
    peers: new PeersFile(file, pool, (message) => warn('PEERS_FILE', message)),
    records: new RecordsFile(file, pool, (message) => warn('RECORDS_FILE', message)),
  }
}

/** Addresses of a node that gives none. Undefined: a free port of all interfaces. */
export const listenDefault: readonly Multiaddr[] | undefined = undefined

/** Finds members of the local network. Undefined: this node does not ask. */
export function discoveryOf(
  services: readonly string[],
  { wanted, listen }: { readonly wanted: boolean | undefined; readonly listen: readonly Multiaddr[] | undefined },
  onFound: (introducer: Introducer) => void,
): MdnsDiscovery | undefined {
  if (!wantsDiscovery(wanted, listen ?? [multiaddr('/ip4/0.0.0.0/tcp/0')])) return undefined
  return new MdnsDiscovery(services, onFound)
}

/** Loads the part that takes WebSockets. Other nodes do without it. */
export async function webListenerOf(...options: Parameters<typeof webListener>): Promise<ReturnType<typeof webListener>> {
  return (await import('../../web/web-listener.ts')).webListener(...options)
}

/** Loads the part that maps ports of routers. Other nodes do without it. */
export async function portMapperOf(): Promise<typeof mapPort> {
  return (await import('../../host/port-mapping.ts')).mapPort
}
