/**
 * Services that the runner of a node provides once: key, random numbers, and the shared parts of
 * nodes in one process.
 */
import type { Measured } from '../base/notification.ts'
import type { Encoded, Milliseconds, Signing } from '../base/values.ts'
import type { Registry } from '../facts/registry.ts'
import type { Codec } from '../frames/codec.ts'

export interface Services<Data extends Encoded = Uint8Array> extends Signing {
  /** Returns a number in [0, 1), from a seed if runs must repeat. */
  random(): number
  /** Returns the calendar time: milliseconds since 1970. Unlike the time of inputs it may jump. */
  today(): Milliseconds
  /** Receives figures for monitoring. It must not call the node back. */
  readonly measure?: (measured: Measured) => void
  /** Encoding of messages. Default: protobuf, as on all real hosts. */
  readonly codec?: Codec<Data>
  /** Storage of facts. Default: the node's own. Nodes in one process may share one. */
  readonly registry?: Registry
}
