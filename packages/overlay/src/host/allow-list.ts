/**
 * The allow list of a node: the ids of the peers that may connect to it.
 */
import type { ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface'
import { decodeId } from '@jel/protocol'
import { InvalidPeerIdError, NoAllowListError, reasonOf } from '../base/errors.ts'
import type { Refusals } from './refusals.ts'

export class AllowList {
  /** Undefined: every peer may connect. */
  readonly #ids: Set<string> | undefined

  /** Throws {@link InvalidPeerIdError}. */
  constructor(ids: readonly string[] | undefined) {
    ids?.forEach(checkId)
    this.#ids = ids && new Set(ids)
  }

  /** The ids, sorted. Undefined: there is no list, and every peer may connect. */
  get ids(): readonly string[] | undefined {
    return this.#ids && [...this.#ids].sort()
  }

  has(id: string): boolean {
    return this.#ids?.has(id) ?? true
  }

  /** Throws {@link InvalidPeerIdError} or {@link NoAllowListError}. */
  add(id: string): void {
    checkId(id)
    this.#required().add(id)
  }

  /** Throws {@link InvalidPeerIdError} or {@link NoAllowListError}. An unknown id is no error. */
  remove(id: string): void {
    checkId(id)
    this.#required().delete(id)
  }

  /**
   * A first id on a new list would shut all other peers out. So a node gets its list at the start
   * only.
   */
  #required(): Set<string> {
    if (this.#ids === undefined) throw new NoAllowListError('this node has no allow list, and can get none while it runs: join with one')
    return this.#ids
  }
}

function checkId(id: string): void {
  try {
    decodeId(id)
  } catch (error) {
    throw new InvalidPeerIdError(`${JSON.stringify(id.slice(0, 128))} is no id of a node: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * Filters inbound and outbound connections alike. The id of the other end is certain only after
 * authentication.
 */
export function connectionGater(allowed: AllowList, refusals: Refusals): ConnectionGater {
  const denies = (peer: PeerId, connection: MultiaddrConnection): boolean => {
    if (allowed.has(peer.toString())) return false
    refusals.add(connection.remoteAddr, `${peer.toString()} is not among those that are allowed here`)
    return true
  }
  return {
    // In a browser the library's default refuses private addresses, and WebSockets without TLS.
    denyDialMultiaddr: () => false,
    denyOutboundConnection: denies,
    denyInboundEncryptedConnection: denies,
    denyOutboundEncryptedConnection: denies,
  }
}
