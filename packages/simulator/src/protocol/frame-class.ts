import type { Message } from '@jel/protocol'
import type { Payload } from '../network/payload.ts'
import { InMemoryFrame } from './in-memory-codec.ts'
import { classNumber, type TrafficClass, type ClassNumber } from '../network/traffic.ts'

/** The class of each payload of a `Frame`, by its field number in `messages.proto`. */
const frames: readonly TrafficClass[] = [
  'other',
  'introduction', // hello
  'introduction', // redirect
  'reconciliation',
  'statements', // facts
  'probes',
  'probes', // ack
  'alarms',
  'signals',
  'signals', // signalAck
  'introduction', // goodbye
  'reconciliation', // offer
  'reconciliation', // want
]
const byField = frames.map(classNumber)
const other = classNumber('other')
const statements = classNumber('statements')
const elections = classNumber('elections')
const reconciliation = classNumber('reconciliation')
const probes = classNumber('probes')
const alarms = classNumber('alarms')
const signals = classNumber('signals')
const introduction = classNumber('introduction')

/** The kinds of statements that belong to elections. */
const candidacy = 5
const claim = 6

/**
 * Returns the class of a frame of the protocol, read from its first bytes. `Facts` count as
 * elections if their first fact is about an election.
 */
export function frameClass(data: Payload): ClassNumber {
  if (data instanceof InMemoryFrame) return classOf(data.message)
  if (!(data instanceof Uint8Array)) return other
  const [tag] = data
  // In the tag of a length-delimited field the upper bits hold the field number, and the lower
  // three bits hold 2.
  const trafficClass = tag === undefined || (tag & 7) !== 2 ? other : (byField[tag >>> 3] ?? other)
  return trafficClass === statements && isElection(data) ? elections : trafficClass
}

function classOf(message: Message): ClassNumber {
  if (message.probe !== undefined || message.ack !== undefined) return probes
  if (message.reconcile !== undefined || message.offer !== undefined || message.want !== undefined) return reconciliation
  if (message.facts !== undefined) {
    const content = message.facts.facts[0]?.fact.content
    const isElection = content !== undefined && 'statement' in content && [candidacy, claim].includes(content.statement.kind)
    return isElection ? elections : statements
  }
  if (message.alarm !== undefined) return alarms
  if (message.signal !== undefined || message.signalAck !== undefined) return signals
  return message.hello !== undefined || message.redirect !== undefined || message.goodbye !== undefined ? introduction : other
}

/**
 * Returns whether the first fact is about an election. In Facts { facts: [Fact { statement:
 * Statement { kind, … } }, …] } the kind of the first statement follows the opening tags and
 * lengths.
 */
function isElection(data: Uint8Array): boolean {
  let at = 0
  for (let depth = 0; depth < 3; depth++) {
    // Both inner tags are 1: `facts` in Facts, `statement` in Fact.
    if (depth > 0 && data[at] !== 0x0a) return false
    at += 1
    while ((data[at] ?? 0) >= 0x80) at += 1
    at += 1
  }
  const kind = data[at + 1]
  return data[at] === 0x08 && (kind === candidacy || kind === claim)
}
