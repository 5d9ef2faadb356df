/** Types that the modules of Node and of browsers share. */
import type { HostProbeOutcome } from '@jel/protocol'
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

/** The memory of former runs, in files beside the identity. */
export interface Saved {
  readonly peers: PeersFile | undefined
  readonly records: RecordsFile | undefined
}
