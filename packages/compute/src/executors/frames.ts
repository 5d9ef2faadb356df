/**
 * Encodes the messages between a member and the process of a program, as bounded frames of bytes.
 */
import { encode } from 'it-length-prefixed'
import { toBytes } from '../schemas.ts'
import type { TaskLimits } from '../program/task-limits.ts'

/**
 * Maximum bytes of one frame. A message has at most an input or value of 1 MiB, a saved state of 1
 * MiB, and shared values of 2 MiB.
 */
export const MAX_FRAME_BYTES = 5 * 1024 * 1024
/**
 * Maximum bytes of the first frame. A program has at most 64 MiB, like every file that a member
 * keeps in one piece.
 */
export const MAX_FIRST_BYTES = 65 * 1024 * 1024
/** Maximum bytes of messages in one frame, if there is more than one message. */
const BATCH_BYTES = 1024 * 1024
/** Bytes that a message has besides its strings and byte arrays. A guess: field names and heads. */
const OVERHEAD = 128

/** Splits messages into batches that each fit into a frame. */
export function* batchesOf<Message>(messages: readonly Message[]): Generator<readonly Message[]> {
  let batch: Message[] = []
  let bytes = 0
  for (const message of messages) {
    const size = OVERHEAD + bytesIn(message)
    if (batch.length > 0 && bytes + size > BATCH_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(message)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** The first message to a process. */
export interface First {
  readonly job: string
  /** The source of the program, or the URL of its module. */
  readonly program: string
  /** The limits of its tasks at this member. */
  readonly limits: TaskLimits
}

export function firstFrame(first: First): Uint8Array {
  return frameOf(toBytes(first))
}

/** @throws RangeError if a frame has no room for the bytes */
export function framed(messages: readonly unknown[]): Uint8Array {
  const data = toBytes(messages)
  if (data.length > MAX_FRAME_BYTES) throw new RangeError(`a message of ${data.length} bytes; it may have ${MAX_FRAME_BYTES}`)
  return frameOf(data)
}

function frameOf(data: Uint8Array): Uint8Array {
  return encode.single(data, { maxDataLength: MAX_FIRST_BYTES }).subarray()
}

function bytesIn(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  let bytes = 0
  for (const each of value instanceof Map ? value.values() : Object.values(value)) bytes += bytesIn(each)
  return bytes
}
