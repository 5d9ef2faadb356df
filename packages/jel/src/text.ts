/**
 * Returns bytes as they are, text as UTF-8.
 */
export function toBytes(value: Uint8Array | string | undefined): Uint8Array | undefined {
  return typeof value === 'string' ? new TextEncoder().encode(value) : value
}
