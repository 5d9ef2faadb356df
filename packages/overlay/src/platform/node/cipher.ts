/** XSalsa20 by the package `xsalsa20`, in WebAssembly. */
import xsalsa20 from 'xsalsa20'
import type { StreamCipher } from '../types.ts'

/** `nonce`: 24 bytes, `key`: 32. */
export const createCipher: (nonce: Uint8Array, key: Uint8Array) => StreamCipher = xsalsa20
