import { crc32 } from 'node:zlib'

const MAGIC = Buffer.from('JEL\u0001', 'latin1')
/** Magic, length and checksum, 4 bytes each. */
const HEADER = 12

/** Puts a header before the bytes of one write. */
export function frame(bytes: Uint8Array): Uint8Array {
  const header = Buffer.alloc(HEADER)
  MAGIC.copy(header)
  header.writeUInt32LE(bytes.length, 4)
  header.writeUInt32LE(crc32(bytes, crc32(header.subarray(4, 8))), 8)
  return Buffer.concat([header, bytes])
}

/**
 * Returns the frames of a file, and the end of the last whole one. Each write is synced before the
 * next one begins, so a crash can tear only the last frame. If a whole frame comes after damaged
 * bytes, the file has lost bytes that were synced.
 */
export function framesOf(
  bytes: Buffer,
  start: number,
  damagedAt: (at: number) => Error,
): { readonly frames: readonly Uint8Array[]; readonly end: number } {
  const frames: Uint8Array[] = []
  let end = start
  for (let next = frameAt(bytes, end); next !== undefined; next = frameAt(bytes, end)) {
    frames.push(next)
    end += HEADER + next.length
  }
  for (let at = bytes.indexOf(MAGIC, end); at !== -1; at = bytes.indexOf(MAGIC, at + 1))
    if (frameAt(bytes, at) !== undefined) throw damagedAt(end)
  return { frames, end }
}

function frameAt(bytes: Buffer, at: number): Uint8Array | undefined {
  if (at + HEADER > bytes.length || bytes.compare(MAGIC, 0, 4, at, at + 4) !== 0) return undefined
  const length = bytes.readUInt32LE(at + 4)
  if (at + HEADER + length > bytes.length) return undefined
  const content = bytes.subarray(at + HEADER, at + HEADER + length)
  return crc32(content, crc32(bytes.subarray(at + 4, at + 8))) === bytes.readUInt32LE(at + 8) ? content : undefined
}
