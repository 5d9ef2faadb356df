/**
 * Items: short names of facts. An item has 7 bytes of position, and 4 bytes that are half of the
 * version.
 */
import { FrameError } from '../base/errors.ts'
import type { Fact } from './fact.ts'

/** Bytes of one item. */
const itemBytes = 11

export interface Item {
  readonly position: number
  readonly version: number
}

export function pack(items: readonly Item[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(items.length * itemBytes)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < items.length; i++) {
    const { position, version } = items[i] as Item
    put(view, i, position, version)
  }
  return bytes
}

/** Returns the items that name these facts. */
export function packFacts(facts: readonly Fact[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(facts.length * itemBytes)
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < facts.length; i++) {
    const { position, low } = facts[i] as Fact
    put(view, i, position, low)
  }
  return bytes
}

/** Throws {@link FrameError}. */
export function unpack(bytes: Uint8Array): Item[] {
  if (bytes.length % itemBytes !== 0) throw new FrameError(`items have ${itemBytes} bytes each`)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const items: Item[] = []
  for (let at = 0; at < bytes.length; at += itemBytes)
    items.push({
      position: view.getUint8(at) * 2 ** 48 + view.getUint16(at + 1) * 2 ** 32 + view.getUint32(at + 3),
      version: view.getUint32(at + 7),
    })
  return items
}

function put(view: DataView, index: number, position: number, version: number): void {
  const at = index * itemBytes
  const high = Math.floor(position / 2 ** 32)
  view.setUint8(at, high >>> 16)
  view.setUint16(at + 1, high)
  view.setUint32(at + 3, position)
  view.setUint32(at + 7, version)
}
