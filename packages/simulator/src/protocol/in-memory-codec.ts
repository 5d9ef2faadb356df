import {
  broadcastBytes,
  defaultConfig,
  FrameError,
  frameBytes,
  ProtobufCodec,
  type Batch,
  type Codec,
  type Config,
  type Message,
  type AgedFact,
} from '@jel/protocol'
import type { Digest } from '../engine/digest.ts'
import { InMemoryPayload, type Payload } from '../network/payload.ts'

/** Digests of small or rare parts use their wire encoding. */
const protobuf = new ProtobufCodec(defaultConfig.limits)

/** A frame of the protocol without encoding. */
export class InMemoryFrame extends InMemoryPayload {
  readonly message: Message
  override readonly length: number

  constructor(message: Message) {
    super()
    this.message = message
    this.length = frameBytes(message)
  }

  override digest(into: Digest): void {
    const { facts, reconcile, probe, ack } = this.message
    into.word(this.length)
    if (probe !== undefined) into.word(probe.sequence)
    else if (ack !== undefined) {
      into.word(ack.sequence)
      into.word(ack.nextInMs)
      into.word(ack.heartbeat)
    } else if (facts !== undefined) {
      into.word(facts.fresh ? 1 : 0)
      digestFacts(facts.facts, into)
    } else if (reconcile !== undefined) {
      into.word(reconcile.round)
      for (const { from, to, count, fingerprint, items, wanted } of reconcile.ranges) {
        into.number(from)
        into.number(to)
        into.word(count)
        into.bytes(fingerprint)
        into.bytes(items)
        into.bytes(wanted)
      }
    } else into.bytes(protobuf.encodeFrame(this.message))
  }
}

/** A broadcast of the protocol without encoding. */
export class InMemoryBroadcast extends InMemoryPayload {
  readonly batch: Batch
  override readonly length: number

  constructor(batch: Batch) {
    super()
    this.batch = batch
    this.length = broadcastBytes(batch)
  }

  override digest(into: Digest): void {
    into.word(this.batch.nonce)
    digestFacts(this.batch.facts, into)
  }
}

function digestFacts(facts: readonly AgedFact[], into: Digest): void {
  for (const { fact, ageSeconds } of facts) {
    into.word(fact.high)
    into.word(fact.low)
    into.word(ageSeconds)
  }
}

/**
 * Passes messages without encoding them. Within one process encoding and decoding would be most of
 * the work. Hostile nodes of tests send bytes. The codec decodes these bytes as any host does. The
 * protocol still checks bounds and signatures.
 */
export class InMemoryCodec implements Codec<Payload> {
  readonly #limits: Config['limits']
  readonly #protobuf: ProtobufCodec

  constructor(limits = defaultConfig.limits) {
    this.#limits = limits
    this.#protobuf = new ProtobufCodec(limits)
  }

  encodeFrame(message: Message): Payload {
    return new InMemoryFrame(message)
  }

  decodeFrame(data: Payload): Message {
    if (!(data instanceof InMemoryFrame)) return this.#protobuf.decodeFrame(data as Uint8Array)
    const { facts, redirect, alarm, pingReq, pingReqAck } = data.message
    const count = facts?.facts.length ?? redirect?.members.length ?? 0
    const { factsPerFrame, entriesPerAlarm } = this.#limits
    if (count > factsPerFrame) throw new FrameError(`a frame has at most ${factsPerFrame} facts, not ${count}`)
    const lists = [alarm?.statements, pingReq?.subjects, pingReqAck?.reached, pingReqAck?.missed, pingReqAck?.unknown]
    if (lists.some((list) => list !== undefined && list.length > entriesPerAlarm))
      throw new FrameError(`a list of suspects or suspicions has at most ${entriesPerAlarm} entries`)
    return data.message
  }

  encodeBroadcast(batch: Batch): Payload {
    return new InMemoryBroadcast(batch)
  }

  decodeBroadcast(data: Payload): Batch {
    return data instanceof InMemoryBroadcast ? data.batch : this.#protobuf.decodeBroadcast(data as Uint8Array)
  }
}
