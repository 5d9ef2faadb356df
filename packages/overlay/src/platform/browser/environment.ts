/** The parts of a node that a page has instead of files and ports: a key in IndexedDB. */
import type { Multiaddr } from '@multiformats/multiaddr'
import { InvalidAddressError } from '../../base/errors.ts'
import { ephemeralIdentity, type Identity } from '../../identity/identity.ts'
import type { Saved } from '../types.ts'
import { openIdentity } from './stored-identity.ts'

/** The identity of a name in IndexedDB. Undefined: a new key that is not stored. */
export async function identityOf(name: string | undefined): Promise<Identity> {
  return await (name === undefined ? ephemeralIdentity() : openIdentity(name))
}

/** A page enters through the members that it is given, and keeps no records. */
export function openSaved(): Saved {
  return { peers: undefined, records: undefined }
}

/** Nobody dials a page. */
export const listenDefault: readonly Multiaddr[] | undefined = []

export function discoveryOf(): undefined {
  return undefined
}

export async function webListenerOf(): Promise<never> {
  return await Promise.reject(new InvalidAddressError('web: a page can not listen'))
}

export async function portMapperOf(): Promise<never> {
  return await Promise.reject(new InvalidAddressError('portMapping: a page can not listen'))
}
