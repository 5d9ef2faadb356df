/** What whoever runs a node hands in once: its key, chance, and, where all nodes live in one process, what they share. */
import type { Encoded, Measured, Milliseconds, Signing } from '../base/io.ts'
import type { Registry } from '../facts/registry.ts'
import type { Codec } from '../frames/codec.ts'

export interface Services<Data extends Encoded = Uint8Array> extends Signing {
  /** A number in [0, 1), seeded where history must repeat. */
  random(): number
  /** What a calendar says: milliseconds since 1970. Unlike the time of inputs it may jump. */
  today(): Milliseconds
  /** Takes figures for those who watch the node. It must not call it back. */
  readonly measure?: (measured: Measured) => void
  /** How messages travel. Default: protobuf, as all real hosts have it. */
  readonly codec?: Codec<Data>
  /** Where facts are kept. Default: the node's own; nodes in one process may share one. */
  readonly registry?: Registry
}
