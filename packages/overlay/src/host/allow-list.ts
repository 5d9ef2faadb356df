/**
 * The allow list of a node: the ids that may connect to it.
 */
import type { ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface'
import { decodeId } from '@jel/protocol'
import { InvalidPeerIdError, reasonOf } from '../base/errors.ts'
import type { Refusals } from './refusals.ts'

/** Returns the ids of an allow list. Throws {@link InvalidPeerIdError}. */
export function parseAllowed(ids: readonly string[]): ReadonlySet<string> {
  for (const id of ids) {
    try {
      decodeId(id)
    } catch (error) {
      throw new InvalidPeerIdError(`${JSON.stringify(id.slice(0, 128))} is no id of a node: ${reasonOf(error)}`, { cause: error })
    }
  }
  return new Set(ids)
}

/**
 * Filters inbound and outbound connections alike. The id of the other end is certain only after
 * authentication.
 */
export function connectionGater(allowed: ReadonlySet<string>, refusals: Refusals): ConnectionGater {
  const denies = (peer: PeerId, connection: MultiaddrConnection): boolean => {
    if (allowed.has(peer.toString())) return false
    refusals.add(connection.remoteAddr, `${peer.toString()} is not among those that are allowed here`)
    return true
  }
  return {
    denyOutboundConnection: denies,
    denyInboundEncryptedConnection: denies,
    denyOutboundEncryptedConnection: denies,
  }
}
