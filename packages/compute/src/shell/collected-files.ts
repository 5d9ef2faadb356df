import * as v from 'valibot'
import { isInside, MAX_FILES, type CollectedFile } from '../program/collected-files.ts'
import { fromBytes } from '../schemas.ts'

const schema = v.pipe(
  v.array(v.tuple([v.string(), v.instance(Uint8Array)])),
  v.maxLength(MAX_FILES),
  v.check((files) => files.every(([path]) => isInside(path)), 'a path leads out of the folder'),
  v.check((files) => new Set(files.map(([path]) => path)).size === files.length, 'two files have one path'),
)

/** @throws Error for bytes that are no files, or if a path leads out of the folder */
export function decodeFiles(bytes: Uint8Array): readonly CollectedFile[] {
  // The containers are a list, and for each file a pair and the tag of a typed array.
  return fromBytes(schema, bytes, 1 + 2 * MAX_FILES).map(([path, { buffer, byteOffset, length }]) => ({
    path,
    bytes: new Uint8Array(buffer, byteOffset, length),
  }))
}
