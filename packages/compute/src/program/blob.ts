/** Bytes that belong to a job: named by their hash in inputs and programs, and fetched once by each member that needs them. */

/** Names a blob. It is plain data: it goes into inputs, and from tasks to their children. */
export interface BlobReference {
  /** A CIDv1 in base32. */
  readonly blob: string
  /** Bytes. */
  readonly size?: number
}

/** What a task does with the bytes of a blob. */
export type Unpack<Value> = (bytes: Uint8Array) => Value

/** Gives the bytes of a blob of the job, or what `unpack` makes of them. */
export interface UseBlob {
  (blob: BlobReference): Promise<Uint8Array>
  <Value>(blob: BlobReference, unpack: Unpack<Value>): Promise<Value>
}

/** Of a sha-256: 36 bytes in base32, after the letter that says so. */
const CID = /^b[a-z2-7]{58}$/u

/**
 * A blob by its name, for a program that names one itself: `await use(blob('bafkrei…'))`. A blob that its input names needs no more than `await use(input.data)`.
 */
export function blob(cid: string): BlobReference {
  if (isCid(cid)) return { blob: cid }
  throw new TypeError(`blob: a CIDv1 of a sha-256 in base32, not ${String(cid).slice(0, 80)}`)
}

/** The blobs that a value names, wherever they stand in it. */
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
