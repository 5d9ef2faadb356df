import type { Encoded } from '@jel/protocol'
import type { Digest } from '../engine/digest.ts'

/**
 * An object that travels instead of its encoded bytes. Neither sender nor receiver may change it.
 */
export abstract class InMemoryPayload implements Encoded {
  /** Its bytes on the wire. */
  abstract readonly length: number
  /** Adds all of its content. Equal contents have equal digests. */
  abstract digest(into: Digest): void
}

/** The form in which frames and broadcasts travel. */
export type Payload = Uint8Array | InMemoryPayload
