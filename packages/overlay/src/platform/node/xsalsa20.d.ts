/**
 * Declarations for a package that has none.
 */
declare module 'xsalsa20' {
  interface XSalsa20 {
    /** Encrypts or decrypts the next bytes of the stream. */
    update(input: Uint8Array): Uint8Array
    /** Forgets the key. The cipher can't be used after that. */
    finalize(): void
  }
  /** `nonce`: 24 bytes, `key`: 32. */
  export default function xsalsa20(nonce: Uint8Array, key: Uint8Array): XSalsa20
}
