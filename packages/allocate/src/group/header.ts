import { GroupError } from '../errors.ts'

/**
 * Bytes before a message between ranks: the group's id, its epoch, a tag, and the numbers of the
 * places of sender and receiver.
 */
export const HEADER_BYTES = 16 + 4 + 4 + 2 + 2
/** The tag of the last message of a rank. It has no content, and says that the rank has ended. */
export const FINISHED_TAG = 2 ** 32 - 1

/** Returns the name of a new group. */
export function newGroupId(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)))
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The head of a message between ranks. */
export interface Header {
  readonly group: string
  readonly epoch: number
  readonly tag: number
  /** The numbers of the places of sender and receiver. */
  readonly from: number
  readonly to: number
}

export function withHeader({ group, epoch, tag, from, to }: Header, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + content.length)
  for (let at = 0; at < 16; at++) bytes[at] = Number.parseInt(group.slice(2 * at, 2 * at + 2), 16)
  const view = new DataView(bytes.buffer)
  view.setUint32(16, epoch)
  view.setUint32(20, tag)
  view.setUint16(24, from)
  view.setUint16(26, to)
  bytes.set(content, HEADER_BYTES)
  return bytes
}

/** @throws GroupError for bytes that are too short */
export function headerOf(bytes: Uint8Array): Header {
  if (bytes.length < HEADER_BYTES) throw new GroupError('REVOKED', 'a message without a header')
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return {
    group: hexOf(bytes.subarray(0, 16)),
    epoch: view.getUint32(16),
    tag: view.getUint32(20),
    from: view.getUint16(24),
    to: view.getUint16(26),
  }
}
