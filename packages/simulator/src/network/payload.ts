import type { Encoded } from '@jel/protocol'
import type { Digest } from '../engine/digest.ts'

/** Something that is handed over as it is in place of bytes. Who sent it, and who got it, must not change it any more. */
export abstract class Unencoded implements Encoded {
  /** Bytes that it takes on the wire. */
  abstract readonly length: number
  /** Everything in it: those with equal contents have equal digests. */
  abstract digest(into: Digest): void
}

/** What frames and broadcasts travel as. */
export type Payload = Uint8Array | Unencoded
