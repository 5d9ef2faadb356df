/**
 * The wire format as a service: encodes messages for links and the topic, and decodes and checks
 * them.
 *
 * All real hosts use protobuf. A runner within one process may pass messages by reference, if all
 * sizes equal those on the wire, and nobody changes a sent message.
 */
import type { Encoded } from '../base/values.ts'
import type { Batch, Message } from './message.ts'

export interface Codec<Data extends Encoded = Uint8Array> {
  encodeFrame(message: Message): Data
  /** Throws {@link FrameError} on malformed data and on exceeded bounds. Checks no signatures. */
  decodeFrame(data: Data): Message
  encodeBroadcast(batch: Batch): Data
  /** Throws {@link FrameError} as {@link decodeFrame} does. */
  decodeBroadcast(data: Data): Batch
}
