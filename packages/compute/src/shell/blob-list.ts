/** Stores blobs at their submitter, and makes the list of a job's blobs. */
import { partsOfFile } from '#platform/blobs'
import { hashOf } from '#platform/crypto'
import * as v from 'valibot'
import { BlobMissingError, BlobTooLargeError } from '../errors.ts'
import type { BlobReference } from '../program/blob.ts'
import { fromBytes, toBytes } from '../schemas.ts'
import { isHash, nameOf, readName } from './blob-names.ts'
import type { BlobStore } from './blob-store.ts'

/**
 * Maximum bytes that members send and store in one piece. A larger blob is a list of such parts.
 */
export const MAX_PART_BYTES = 64 * 1024 * 1024
/** Maximum number of blobs of a job, and of parts of a blob. A guess. */
const MAX_BLOBS = 1024
/**
 * Maximum bytes of a list from another member. A guess: `MAX_BLOBS` blobs of a few parts each fit.
 */
export const MAX_LIST_BYTES = 1024 * 1024

/** A blob of a job. */
export interface ListedBlob {
  /** The CID of the blob. */
  readonly name: string
  readonly size: number
  /** The hashes of the parts. */
  readonly parts: readonly string[]
}

const hash = v.pipe(v.string(), v.check(isHash))
const partList = v.pipe(v.array(hash), v.minLength(1), v.maxLength(MAX_BLOBS))
const blobList = v.pipe(
  v.array(
    v.object({
      name: v.string(),
      size: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_BLOBS * MAX_PART_BYTES)),
      parts: partList,
    }),
  ),
  v.maxLength(MAX_BLOBS),
)

/**
 * Stores bytes, or a file, for later jobs.
 *
 * @throws BlobTooLargeError if the bytes exceed the limit of the store
 */
export async function keepBlob(store: BlobStore, source: string | Uint8Array): Promise<BlobReference> {
  const parts: string[] = []
  let size = 0
  for await (const part of typeof source === 'string' ? partsOfFile(source, partSizes) : partsOf(source)) {
    size += part.length
    refuseMore(size, store.limit)
    parts.push(await store.put(part))
  }
  const [first] = parts as [string]
  const name = parts.length === 1 ? { hash: first, isList: false } : { hash: await store.put(toBytes(parts)), isList: true }
  return { blob: nameOf(name), size }
}

/**
 * Returns the encoded list of the blobs that a job names, sorted, each with its parts.
 *
 * @throws BlobMissingError if a blob is not here; BlobTooLargeError if the blobs exceed the limit
 * of the store
 */
export async function listBlobs(store: BlobStore, references: readonly BlobReference[]): Promise<Uint8Array | undefined> {
  const names = [...new Set(references.map(({ blob }) => blob))].sort()
  if (names.length > MAX_BLOBS) throw new BlobTooLargeError(`a job may have ${MAX_BLOBS} blobs, not ${names.length}`)
  // Checks the stated sizes first. Blobs that exceed the limit may have evicted each other. Then
  // some would count as missing.
  const said = new Map(references.map(({ blob, size = 0 }) => [blob, size]))
  refuseMore(
    [...said.values()].reduce((sum, each) => sum + each, 0),
    store.limit,
  )
  const blobs: ListedBlob[] = []
  for (const name of names) blobs.push(await describe(store, name))
  refuseMore(sizeOf(blobs), store.limit)
  return names.length === 0 ? undefined : toBytes(blobs)
}

/** @throws Error for bytes that are no list, or for a list whose names do not fit their parts */
export async function readBlobList(bytes: Uint8Array): Promise<readonly ListedBlob[]> {
  const blobs = fromBytes(blobList, bytes)
  for (const { name, size, parts } of blobs) {
    if (partSizes(size).length !== parts.length) throw new Error(`${size} bytes are not ${parts.length} parts`)
    const isList = parts.length > 1
    if (nameOf({ hash: isList ? await hashOf(toBytes(parts)) : (parts[0] as string), isList }) !== name)
      throw new Error(`the parts of ${name} are those of another blob`)
  }
  return blobs
}

/** Returns the size of each part of a blob. The last part has the rest. */
export function partSizes(size: number): number[] {
  const count = Math.max(1, Math.ceil(size / MAX_PART_BYTES))
  return Array.from({ length: count }, (_, index) => Math.min(MAX_PART_BYTES, size - index * MAX_PART_BYTES))
}

export function sizeOf(blobs: readonly ListedBlob[]): number {
  return blobs.reduce((sum, { size }) => sum + size, 0)
}

function refuseMore(size: number, limit: number): void {
  if (size > limit) throw new BlobTooLargeError(`blobs of ${size} bytes; this member keeps ${limit} on disk`)
}

async function describe(store: BlobStore, name: string): Promise<ListedBlob> {
  const named = readName(name)
  const bytes = named && (await store.get(named.hash))
  if (named === undefined || bytes === undefined)
    throw new BlobMissingError(`there is no blob ${name} at this member; hand its bytes to blob() of the grid first`)
  if (!named.isList) return { name, size: bytes.length, parts: [named.hash] }
  const parts = fromBytes(partList, bytes)
  let size = 0
  for (const part of parts) {
    const got = await store.get(part)
    if (got === undefined) throw new BlobMissingError(`a part of the blob ${name} is not at this member any more`)
    size += got.length
  }
  return { name, size, parts }
}

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (const [index, length] of partSizes(bytes.length).entries())
    yield bytes.subarray(index * MAX_PART_BYTES, index * MAX_PART_BYTES + length)
}
