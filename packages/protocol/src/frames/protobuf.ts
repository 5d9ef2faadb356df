/** The wire format of all real hosts: protobuf, by wire/messages.proto. */
import type { Config } from '../base/config.ts'
import { FrameError } from '../base/errors.ts'
import { decodeId, encodeId } from '../base/id.ts'
import { certificateToWire, readCertificate } from '../facts/certificate.ts'
import { factOf, type Evidence, type Told } from '../facts/fact.ts'
import { decode, readStatement, statementToWire } from '../facts/statement.ts'
import * as wire from '../wire/messages.js'
import type { Codec } from './codec.ts'
import type { Alarm, Batch, Message } from './message.ts'

export class ProtobufCodec implements Codec {
  readonly #limits: Config['limits']

  constructor(limits: Config['limits']) {
    this.#limits = limits
  }

  encodeFrame(message: Message): Uint8Array {
    const { redirect, facts, alarm, ...rest } = message
    const frame: wire.Frame = rest
    if (redirect !== undefined) frame.redirect = { members: redirect.members.map(factToWire) }
    else if (facts !== undefined) frame.facts = { facts: facts.facts.map(factToWire), fresh: facts.fresh }
    else if (alarm !== undefined)
      frame.alarm = {
        statements: alarm.statements.map(statementToWire),
        doubted: alarm.doubted.map((id) => decodeId(id) as Uint8Array<ArrayBuffer>),
      }
    return wire.Frame.encode(frame)
  }

  decodeFrame(data: Uint8Array): Message {
    const { redirect, facts, alarm, ...rest } = decode(wire.Frame, data)
    if (redirect !== undefined) return { redirect: { members: this.#facts(redirect.members) } }
    if (facts !== undefined) return { facts: { facts: this.#facts(facts.facts), fresh: facts.fresh } }
    if (alarm !== undefined) return { alarm: this.#alarm(alarm) }
    return rest
  }

  encodeBroadcast({ nonce, facts }: Batch): Uint8Array {
    return wire.Broadcast.encode({ nonce, facts: facts.map(factToWire) })
  }

  decodeBroadcast(data: Uint8Array): Batch {
    const { nonce, facts } = decode(wire.Broadcast, data)
    return { nonce, facts: this.#facts(facts) }
  }

  #facts(messages: readonly wire.Fact[]): Told[] {
    const { factsPerFrame } = this.#limits
    if (messages.length > factsPerFrame) throw new FrameError(`a frame has at most ${factsPerFrame} facts, not ${messages.length}`)
    return messages.map((message) => readFact(message, this.#limits))
  }

  #alarm({ statements, doubted }: wire.Alarm): Alarm {
    const { statementsPerAlarm } = this.#limits
    if (statements.length + doubted.length > statementsPerAlarm) throw new FrameError(`an alarm has at most ${statementsPerAlarm} entries`)
    return { statements: statements.map((statement) => readStatement(statement, this.#limits)), doubted: doubted.map(encodeId) }
  }
}

export function factToWire({ fact: { content }, ageSeconds }: Told): wire.Fact {
  if ('certificate' in content) return { certificate: certificateToWire(content.certificate), ageSeconds }
  const fact: wire.Fact = { statement: statementToWire(content.statement), ageSeconds }
  if (content.because === undefined) return fact
  if ('statement' in content.because) fact.because = statementToWire(content.because.statement)
  else fact.becauseDeath = certificateToWire(content.because.certificate)
  return fact
}

/** Reads what a fact holds, with all bounds but without signatures. Throws {@link FrameError}. */
export function readFact(message: wire.Fact, limits: Config['limits']): Told {
  const { ageSeconds } = message
  if (message.certificate !== undefined) return { fact: factOf({ certificate: readCertificate(message.certificate, limits) }), ageSeconds }
  if (message.statement === undefined) throw new FrameError('a fact without content')
  const statement = readStatement(message.statement, limits)
  const because: Evidence | undefined =
    message.because !== undefined
      ? { statement: readStatement(message.because, limits) }
      : message.becauseDeath !== undefined
        ? { certificate: readCertificate(message.becauseDeath, limits) }
        : undefined
  return { fact: factOf(because === undefined ? { statement } : { statement, because }), ageSeconds }
}
