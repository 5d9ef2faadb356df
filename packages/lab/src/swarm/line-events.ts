/** Reads the `--json` lines of a node as the events, members and records of a swarm. */
import type { SwarmEvent, SwarmMember, SwarmRecord, SwarmReign } from '@jel/conformance'
import type { Line, NodeLine, RecordLine } from './start-node.ts'

/** Returns undefined for a line that is no event of a swarm. */
export function eventOf(line: Line): SwarmEvent | undefined {
  const { event, node, name, payload } = line
  if (event === 'record') return { type: 'record', record: recordOf(line as RecordLine & Line) }
  if (node === undefined) return undefined
  switch (event) {
    case 'joined':
    case 'left':
    case 'died':
    case 'updated':
      return { type: event, member: memberOf(node) }
    case 'elected':
      return { type: 'elected', reign: reignOf(line) }
    case 'signal':
      return { type: 'signal', name: name ?? '', from: memberOf(node) }
    case 'event':
      return { type: 'event', name: name ?? '', payload: bytesOf(payload), from: memberOf(node) }
    default:
      return undefined
  }
}

export function memberOf({ id, incarnation, location = '', tag }: NodeLine): SwarmMember {
  return { id, incarnation, location, tag: bytesOf(tag) }
}

/** Throws if the line is no answer with a reign. */
export function reignOf({ event, election, epoch, node }: Line): SwarmReign {
  if (election === undefined || epoch === undefined || node === undefined) throw new Error(`expected a reign, not ${event}`)
  return { election, epoch, winner: memberOf(node) }
}

export function recordOf({ name, owner, version, value }: RecordLine): SwarmRecord {
  return { name, owner, version, value: value === null ? undefined : bytesOf(value) }
}

function bytesOf(base64 = ''): Uint8Array {
  return Buffer.from(base64, 'base64')
}
