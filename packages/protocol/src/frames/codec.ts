/**
 * The wire format as a service: messages become what links and the topic carry, and come back checked.
 *
 * All real hosts use protobuf. A runner that stays within one process may hand messages over by reference, as long as
 * everything is as long as it is on the wire, and nobody changes what was sent.
 */
import type { Encoded } from '../base/io.ts'
import type { Batch, Message } from './message.ts'

export interface Codec<Data extends Encoded = Uint8Array> {
  encodeFrame(message: Message): Data
  /** Throws {@link FrameError} on anything malformed or out of bounds; signatures are not looked at. */
  decodeFrame(data: Data): Message
  encodeBroadcast(batch: Batch): Data
  /** Throws {@link FrameError} as {@link decodeFrame} does. */
  decodeBroadcast(data: Data): Batch
}
