/** The wire format of all real hosts: protobuf, as in wire/messages.proto. */
import type { Config } from '../base/config.ts'
import { BoundError, FrameError } from '../base/errors.ts'
import { decodeId, encodeId } from '../base/id.ts'
import type { NodeId } from '../base/values.ts'
import { certificateToWire, readCertificate } from '../facts/certificate.ts'
import { factOf, type AgedFact } from '../facts/fact.ts'
import { decode } from '../facts/decode.ts'
import { readStatement, statementToWire } from '../facts/statement-codec.ts'
import type { Statement } from '../facts/statement.ts'
import * as wire from '../wire/messages.js'
import type { Codec } from './codec.ts'
import type { Batch, Message } from './message.ts'

export class ProtobufCodec implements Codec {
  readonly #limits: Config['limits']

  constructor(limits: Config['limits']) {
    this.#limits = limits
  }

  encodeFrame(message: Message): Uint8Array {
    const { redirect, facts, alarm, pingReq, pingReqAck, ...rest } = message
    const frame: wire.Frame = rest
    if (redirect !== undefined) frame.redirect = { members: redirect.members.map(factToWire) }
    else if (facts !== undefined) frame.facts = { facts: facts.facts.map(factToWire), fresh: facts.fresh }
    else if (alarm !== undefined) frame.alarm = { statements: alarm.statements.map(statementToWire) }
    else if (pingReq !== undefined) frame.pingReq = { subjects: keysOf(pingReq.subjects) }
    else if (pingReqAck !== undefined)
      frame.pingReqAck = {
        reached: pingReqAck.reached.map(statementToWire),
        missed: keysOf(pingReqAck.missed),
        unknown: keysOf(pingReqAck.unknown),
      }
    return wire.Frame.encode(frame)
  }

  decodeFrame(data: Uint8Array): Message {
    const { redirect, facts, alarm, pingReq, pingReqAck, ...rest } = decode(wire.Frame, data)
    if (redirect !== undefined) return { redirect: { members: this.#facts(redirect.members) } }
    if (facts !== undefined) return { facts: { facts: this.#facts(facts.facts), fresh: facts.fresh } }
    if (alarm !== undefined) return { alarm: { statements: this.#statements(alarm.statements) } }
    if (pingReq !== undefined) return { pingReq: { subjects: this.#ids(pingReq.subjects) } }
    if (pingReqAck !== undefined) {
      const { reached, missed, unknown } = pingReqAck
      return { pingReqAck: { reached: this.#statements(reached), missed: this.#ids(missed), unknown: this.#ids(unknown) } }
    }
    return rest
  }

  encodeBroadcast({ nonce, facts }: Batch): Uint8Array {
    return wire.Broadcast.encode({ nonce, facts: facts.map(factToWire) })
  }

  decodeBroadcast(data: Uint8Array): Batch {
    const { nonce, facts } = decode(wire.Broadcast, data, { facts: this.#limits.factsPerBroadcast })
    const taken = this.#facts(facts)
    return { nonce, facts: taken, ...(taken.length < facts.length && { isPartial: true }) }
  }

  #facts(messages: readonly wire.Fact[]): AgedFact[] {
    const { factsPerFrame } = this.#limits
    if (messages.length > factsPerFrame) throw new FrameError(`a frame has at most ${factsPerFrame} facts, not ${messages.length}`)
    return readAll(messages, (message) => readFact(message, this.#limits))
  }

  #statements(messages: readonly wire.Statement[]): Statement[] {
    return readAll(this.#bounded(messages), (statement) => readStatement(statement, this.#limits))
  }

  #ids(keys: readonly Uint8Array[]): NodeId[] {
    return this.#bounded(keys).map(encodeId)
  }

  #bounded<Entry>(entries: readonly Entry[]): readonly Entry[] {
    const { entriesPerAlarm } = this.#limits
    if (entries.length > entriesPerAlarm) throw new FrameError(`a list of suspects or suspicions has at most ${entriesPerAlarm} entries`)
    return entries
  }
}

/**
 * Reads the parts of a frame. Leaves out a part that exceeds a bound: other versions may have other
 * bounds.
 */
function readAll<Message, Part>(messages: readonly Message[], read: (message: Message) => Part): Part[] {
  return messages.flatMap((message) => {
    try {
      return [read(message)]
    } catch (error) {
      if (error instanceof BoundError) return []
      throw error
    }
  })
}

function keysOf(ids: readonly NodeId[]): Uint8Array<ArrayBuffer>[] {
  return ids.map((id) => decodeId(id) as Uint8Array<ArrayBuffer>)
}

export function factToWire({ fact: { content }, ageSeconds }: AgedFact): wire.Fact {
  if ('certificate' in content) return { certificate: certificateToWire(content.certificate), ageSeconds }
  return { statement: statementToWire(content.statement), ageSeconds }
}

/** Reads a fact and checks all bounds, but no signatures. Throws {@link FrameError}. */
export function readFact(message: wire.Fact, limits: Config['limits']): AgedFact {
  const { certificate, statement, ageSeconds } = message
  if (certificate !== undefined) return { fact: factOf({ certificate: readCertificate(certificate, limits) }), ageSeconds }
  if (statement === undefined) throw new FrameError('a fact without content')
  return { fact: factOf({ statement: readStatement(statement, limits) }), ageSeconds }
}
