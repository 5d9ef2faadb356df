/**
 * Computes the bytes of messages on the wire without encoding them, for runners that pass messages
 * by reference. A test compares the results with the generated encoder.
 */
import { defaultConfig } from '../base/config.ts'
import type { Certificate } from '../facts/certificate.ts'
import type { Fact, AgedFact } from '../facts/fact.ts'
import type { Statement } from '../facts/statement.ts'
import type * as wire from '../wire/messages.js'
import type { Batch, Message } from './message.ts'
import { ProtobufCodec } from './protobuf-codec.ts'

/** Bytes of a key (32), with tag and length. */
const keyField = 34
/** Bytes of a signature (64), with tag and length. */
const signatureField = 66

/** Encodes small or rare messages to get their size. */
const codec = new ProtobufCodec(defaultConfig.limits)

/** Returns the bytes of a frame. */
export function frameBytes(message: Message): number {
  const { facts, reconcile, probe, ack } = message
  if (probe !== undefined) return nested(numberField(probe.sequence))
  if (ack !== undefined) return nested(numberField(ack.sequence) + numberField(ack.nextInMs) + numberField(ack.heartbeat))
  if (facts !== undefined) return nested(factsBytes(facts.facts) + (facts.fresh ? 2 : 0))
  if (reconcile !== undefined) return nested(reconcileBytes(reconcile))
  return codec.encodeFrame(message).length
}

/** Returns the bytes of a broadcast. */
export function broadcastBytes({ nonce, facts }: Batch): number {
  return (nonce === 0 ? 0 : 5) + factsBytes(facts)
}

/** Returns the bytes of a fact without an age. */
export function factBytes(fact: Fact): number {
  if (fact.bytes > 0) return fact.bytes
  const { content } = fact
  fact.bytes = nested('certificate' in content ? certificateBytes(content.certificate) : statementBytes(content.statement))
  return fact.bytes
}

function factsBytes(facts: readonly AgedFact[]): number {
  let bytes = 0
  for (const { fact, ageSeconds } of facts) bytes += nested(factBytes(fact) + numberField(ageSeconds))
  return bytes
}

function statementBytes({ kind, body }: Statement): number {
  return numberField(kind) + keyField + bytesField(body.length) + signatureField
}

function certificateBytes({ incarnation, accusers }: Certificate): number {
  let bytes = keyField + numberField(incarnation)
  for (const { heartbeat } of accusers) bytes += nested(keyField + numberField(heartbeat) + signatureField)
  return bytes
}

function reconcileBytes({ round, ranges }: wire.Reconcile): number {
  let bytes = numberField(round)
  for (const { from, to, count, fingerprint, items, wanted, listed } of ranges) {
    const fields = numberField(from) + numberField(to) + numberField(count) + (listed ? 2 : 0)
    bytes += nested(fields + bytesField(fingerprint.length) + bytesField(items.length) + bytesField(wanted.length))
  }
  return bytes
}

/** Adds a tag of one byte and the length. */
function nested(bytes: number): number {
  return 1 + varintBytes(bytes) + bytes
}

function bytesField(bytes: number): number {
  return bytes === 0 ? 0 : nested(bytes)
}

function numberField(value: number): number {
  return value === 0 ? 0 : 1 + varintBytes(value)
}

function varintBytes(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  let bytes = 3
  for (let rest = Math.floor(value / 0x200000); rest > 0; rest = Math.floor(rest / 0x80)) bytes += 1
  return bytes
}
