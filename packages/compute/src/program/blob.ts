/**
 * Blobs: bytes that belong to a job. Inputs and programs name them by their hash. Each member that
 * needs a blob fetches it once.
 */

/**
 * Names a blob. A reference is plain data. Inputs may contain it, and tasks may pass it to
 * children.
 */
export interface BlobReference {
  /** A CIDv1 of a sha-256, in base32. */
  readonly blob: string
  /** Bytes. */
  readonly size?: number
}

/** Turns the bytes of a blob into a value. */
export type Unpack<Value> = (bytes: Uint8Array) => Value

/**
 * Returns the bytes of a blob of the job, or the value that `unpack` makes of them. Rejects with
 * `BLOB_MISSING` if no member has the blob.
 */
export interface UseBlob {
  (blob: BlobReference): Promise<Uint8Array>
  <Value>(blob: BlobReference, unpack: Unpack<Value>): Promise<Value>
}

/** A CIDv1 of a sha-256: a letter for the base, then 36 bytes in base32. */
const CID = /^b[a-z2-7]{58}$/u

/**
 * Returns the reference of a blob that the program names itself: `await use(blob('bafkrei…'))`. A
 * blob that the input names needs only `await use(input.data)`.
 *
 * @param cid a CIDv1 of a sha-256, in base32
 * @throws TypeError for anything else
 */
export function blob(cid: string): BlobReference {
  if (isCid(cid)) return { blob: cid }
  throw new TypeError(`blob: a CIDv1 of a sha-256 in base32, not ${String(cid).slice(0, 80)}`)
}

/** Returns the blobs that a value names, at any depth. */
export function blobsIn(value: unknown, seen = new Set<unknown>()): BlobReference[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) return []
  seen.add(value)
  if (isReference(value)) return [value]
  const items: unknown[] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)].flat() : value instanceof Set ? [...value] : Object.values(value)
  return items.flatMap((item) => blobsIn(item, seen))
}

function isCid(value: unknown): value is string {
  return typeof value === 'string' && CID.test(value)
}

function isReference(value: object): value is BlobReference {
  return 'blob' in value && isCid(value.blob) && Object.keys(value).every((key) => key === 'blob' || key === 'size')
}
