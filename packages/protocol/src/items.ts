/**
 * Items: facts by name. A position in 7 bytes and half of the version in 4 tell which fact is meant and whether it is the same.
 */
import { FrameError } from './errors.ts'

/** Bytes of one. */
const itemBytes = 11

export interface Item {
  readonly position: number
  readonly version: number
}

export function pack(items: readonly Item[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(items.length * itemBytes)
  const view = new DataView(bytes.buffer)
  items.forEach(({ position, version }, i) => {
    view.setUint8(i * itemBytes, Math.floor(position / 2 ** 48))
    view.setUint16(i * itemBytes + 1, Math.floor(position / 2 ** 32) % 65536)
    view.setUint32(i * itemBytes + 3, position >>> 0)
    view.setUint32(i * itemBytes + 7, version)
  })
  return bytes
}

/** Throws {@link FrameError}. */
export function unpack(bytes: Uint8Array): Item[] {
  if (bytes.length % itemBytes !== 0) throw new FrameError(`items have ${itemBytes} bytes each`)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return Array.from({ length: bytes.length / itemBytes }, (_, i) => ({
    position: view.getUint8(i * itemBytes) * 2 ** 48 + view.getUint16(i * itemBytes + 1) * 2 ** 32 + view.getUint32(i * itemBytes + 3),
    version: view.getUint32(i * itemBytes + 7),
  }))
}
