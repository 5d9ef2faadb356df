/** A new Ed25519 key. `publicKey`: 32 bytes. */
export interface SigningKey {
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Uint8Array
}
