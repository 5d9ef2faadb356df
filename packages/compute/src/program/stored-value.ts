import { addExtension } from 'cbor-x'
import { checkContainers } from './cbor-bounds.ts'
import type { BlobReference } from './blob.ts'
import { decodeValue, encodeValue, MAX_VALUE_BYTES } from './values.ts'

/**
 * Maximum bytes of the value of a job, and of all inputs of a sweep together. A guess: 8 KiB for
 * each of 2,000 inputs.
 */
export const MAX_RESULT_BYTES = 16 * 1024 * 1024

/** Stands for the value of a job that is too large for a message. The blob has its bytes. */
export class StoredValue implements BlobReference {
  readonly blob: string
  readonly size: number

  constructor(blob: string, size: number) {
    this.blob = blob
    this.size = size
  }
}

addExtension<StoredValue, [unknown, unknown]>({
  Class: StoredValue,
  tag: 43_314,
  encode: ({ blob, size }, encode) => encode([blob, size]),
  decode: ([blob, size]) => new StoredValue(String(blob), Number(size)),
})

/**
 * Encodes the value of a job.
 *
 * @param store keeps bytes as a blob
 * @throws as `encodeValue`, above 16 MiB; RangeError if it has too many parts; errors of `store`
 */
export async function encodeResult(value: unknown, store: (bytes: Uint8Array) => Promise<BlobReference>): Promise<Uint8Array> {
  const bytes = encodeValue(value, MAX_RESULT_BYTES)
  if (bytes.length <= MAX_VALUE_BYTES) return bytes
  // A value that nobody can read must fail here.
  decodeLarge(bytes)
  const { blob } = await store(bytes)
  return encodeValue(new StoredValue(blob, bytes.length))
}

/**
 * Decodes a large value. Another member may have made it.
 *
 * @throws RangeError if it has too many parts; Error for bytes that are not a value
 */
export function decodeLarge(bytes: Uint8Array): unknown {
  // A value in a message can have no more parts than this either.
  checkContainers(bytes, MAX_VALUE_BYTES)
  return decodeValue(bytes)
}
