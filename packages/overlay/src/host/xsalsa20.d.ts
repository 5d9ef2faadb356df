/** It comes without declarations. */
declare module 'xsalsa20' {
  interface XSalsa20 {
    /** Encrypts or decrypts what follows on what came before. */
    update(input: Uint8Array): Uint8Array
    /** Forgets the key. Nothing more can be asked of it. */
    finalize(): void
  }
  /** `nonce`: 24 bytes, `key`: 32. */
  export default function xsalsa20(nonce: Uint8Array, key: Uint8Array): XSalsa20
}
