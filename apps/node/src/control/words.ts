import type { ListedJson, NodeEvent } from '../agent/events.ts'
import { tableOf } from '../base/table.ts'
import { oneLine } from '../base/text.ts'
import { span } from '../base/time.ts'
import { describe, healthWords, tagWords } from '../terminal/reporter.ts'

/**
 * Describes an answer of a running node for a person. `now`: Unix ms. Returns no line where success
 * needs none.
 */
export function wordsOf(answer: NodeEvent, now: number): string[] {
  switch (answer.event) {
    case 'members':
      return tableOf([['ID', 'STATE', 'FOR', 'LOCATION', 'TAG', 'ADDRESS'], ...answer.nodes.map((member) => rowOf(member, now))])
    case 'status':
      return statusWords(answer, now)
    case 'health':
      return [healthWords(answer), ...answer.introducers.map(({ address, reason }) => `${address}: ${oneLine(reason)}`)]
    case 'keys':
      return answer.keys.map(({ id, primary }) => (primary ? `${id} primary` : id))
    case 'done':
    case 'stopped':
      return []
    default:
      return [describe(answer)]
  }
}

function rowOf({ id, state, since, location, tag, addresses }: ListedJson, now: number): string[] {
  return [id, state, span(now - since), oneLine(location), tagWords(tag), addresses[0] ?? '']
}

function statusWords(
  { node, version, started, members, reigns, health, pid, memory, processor, http }: NodeEvent & { event: 'status' },
  now: number,
): string[] {
  const lines: [string, string][] = [
    ['node', `${node.id}, incarnation ${node.incarnation}`],
    ['version', version],
    ['in the pool', `for ${span(now - started)}`],
    ['location', oneLine(node.location)],
    ['tag', tagWords(node.tag)],
    ...node.addresses.map((address): [string, string] => ['listens at', address]),
    ['members', String(members)],
    ['health', healthWords({ event: 'health', ...health })],
    ...reigns.map(({ election, epoch, node: winner }): [string, string] => [
      'elected',
      `${oneLine(election)}: ${winner.id}, epoch ${epoch}${winner.id === node.id ? ' (this node)' : ''}`,
    ]),
    ...(http === undefined ? [] : [['page', http] as [string, string]]),
    ['process', `${pid}, ${(memory / 1e6).toFixed(0)} MB, ${processor.toFixed(1)} s of processor time`],
  ]
  return lines.map(([what, words]) => `${what.padEnd(12)} ${words}`.trimEnd())
}
