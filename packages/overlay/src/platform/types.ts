/** Types that the modules of Node and of browsers share. */
import type { HostProbeOutcome } from '@jel/protocol'
import type { Connection } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { PeersFile } from '../identity/peers-file.ts'
import type { RecordsFile } from '../identity/records-file.ts'

/** A stream cipher. */
export interface StreamCipher {
  /** Encrypts or decrypts the next bytes. */
  update(input: Uint8Array): Uint8Array
  /** Forgets the key. */
  finalize(): void
}

/**
 * `unroutable`: this machine has no IPv6, or no route for it. That shows nothing about a host that
 * has other addresses.
 */
export type ProbeOutcome = HostProbeOutcome | 'unroutable'

/** Lets two hosts behind NATs dial each other at the same time, from ports that their NATs know. */
export interface HolePunching {
  /**
   * Returns the local port of a connection that this host dialled. Undefined: the peer dialled, or
   * both dialled at once.
   */
  portOf(connection: Connection): number | undefined
  /** Dials a host. Afterwards the connection is among those of libp2p. Throws if that fails. */
  dial(address: Multiaddr, options: PunchOptions): Promise<void>
}

export interface PunchOptions {
  /** The local port. */
  readonly from: number
  /** One of the two hosts acts as if the other had dialled. */
  readonly direction: Connection['direction']
  readonly signal: AbortSignal
}

/** The memory of former runs, in files beside the identity. */
export interface Saved {
  readonly peers: PeersFile | undefined
  readonly records: RecordsFile | undefined
}
