import { isUtf8 } from 'node:buffer'
import { counted, oneLine, printable, shortId } from '../base/text.ts'
import type { Value } from '@jel/monitor'
import type { NodeEvent, NodeJson } from './events.ts'
import type { OutputEvent } from './job-messages.ts'

/** Describes an event for a person; `name` describes a member. */
export function eventText(event: NodeEvent, name: (node: NodeJson) => string = wholeMemberText): string {
  switch (event.event) {
    case 'started':
      return `started ${event.node.id} at ${event.node.addresses.join(' ')}`
    case 'joined':
    case 'left':
    case 'died':
      return `${event.event} ${name(event.node)}`
    case 'updated':
      return `updated ${name(event.node)}, tag ${JSON.stringify(tagText(event.node.tag))}, ${event.node.reach}, at ${oneLine(event.node.addresses.join(' '))}`
    case 'elected':
      return `elected ${oneLine(event.election)}: ${name(event.node)}, epoch ${event.epoch}`
    case 'confirmed':
      return event.winner === null
        ? `${oneLine(event.election)}: nobody reigns`
        : `${oneLine(event.election)}: ${name(event.winner)}, epoch ${event.epoch}`
    case 'ordered':
      return `ordered ${event.index}: ${oneLine(event.name)} from ${name(event.node)}${payloadText(event.payload)}`
    case 'placed':
      return `placed at ${event.index}`
    case 'ledger':
      return `ledger ${event.state}, term ${event.term}, ${event.leader === null ? 'no leader' : `leader ${shortId(event.leader)}`}, ${counted(event.voters.length, 'voter')}`
    case 'signal':
      return `signal ${oneLine(event.name)} from ${name(event.node)}`
    case 'event':
      return `event ${oneLine(event.name)} from ${name(event.node)}${payloadText(event.payload)}`
    case 'query':
      return `query ${oneLine(event.name)} from ${name(event.node)}${payloadText(event.payload)}`
    case 'asked':
      return `asked ${event.members} members`
    case 'reply':
      return `${name(event.node)}${payloadText(event.payload)}`
    case 'poolClosed':
      return `pool closed: all ${event.size} members have joined`
    case 'terminated':
      return `terminated by ${event.by} at ${new Date(event.at).toISOString()}`
    case 'health':
      return `health: ${healthText(event)}`
    case 'members':
      return `${event.nodes.length} members`
    case 'info':
      return `${event.members.length} members`
    case 'selected':
      return `${event.matching} of ${event.considered} members match`
    case 'lease':
      return `lease ${event.number} of ${event.member}`
    case 'leases':
      return `leases of ${event.members.length} members`
    case 'rankOutput':
      return `[${event.rank}] ${printable(event.text)}`
    case 'ran':
      return `${event.ranks.length} ranks have ended`
    case 'groups':
      return `${event.groups.length} groups`
    case 'services':
      return `${event.services.length} services`
    case 'called':
      return JSON.stringify(event.result ?? null)
    case 'sample': {
      const time = new Date(event.at).toISOString().slice(11, 19)
      const holds = event.holds === undefined ? '' : event.holds ? ', the condition holds' : ', the condition no longer holds'
      const source = event.site === undefined ? shortId(event.member) : `${oneLine(event.site)} (${event.count ?? 0})`
      return `${time} ${source} ${oneLine(event.name)} ${valueText(event.value)}${unitText(event.unit)}${holds}${event.replayed ? ', late' : ''}`
    }
    case 'unsampled':
      return `${shortId(event.member)} ${unsampledText(event)}`
    case 'record':
      return `record ${oneLine(event.name)} of ${event.owner}${event.value === null ? ' is gone' : `, ${Buffer.byteLength(event.value, 'base64')} bytes`}`
    case 'status':
      return `${event.node.id}, ${event.members} members`
    case 'links':
      return `${event.links.length} links`
    case 'records':
      return `${event.records.length} records`
    case 'keys':
      return `keys ${event.keys.map(({ id, primary }) => (primary ? `${id} (primary)` : id)).join(' ')}`
    case 'allowed':
      return event.nodes === null ? 'every node may connect' : `${event.nodes.length} nodes may connect`
    case 'jobs':
      return `${event.jobs.length + event.more} jobs`
    case 'output':
      return outputLines(event).join('\n')
    case 'error':
    case 'notice':
      return `${event.code}: ${oneLine(event.message)}`
    case 'http':
      return `page at ${event.url}`
    case 'web':
      return `browsers take part at ${event.urls.join(' ')}`
    case 'opened':
    case 'done':
    case 'stopped':
  }
  return event.event
}

/** Describes output, one line for each of its lines, each with its source. */
export function outputLines({ member, fn, stream, text }: OutputEvent): string[] {
  const source = `${shortId(member)}${fn === undefined ? '' : ` ${oneLine(fn)}`}${stream === 'stderr' ? ' !' : ''}`
  return text
    .replace(/\n$/u, '')
    .split(/\r?\n|\r/u)
    .map((line) => `${source} | ${printable(line)}`)
}

/** Describes the value of an attribute. Four digits are enough for people. */
export function valueText(value: Value): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)))
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value))
}

/** The unit 1 says nothing. */
function unitText(unit: string): string {
  return unit === '' || unit === '1' ? '' : ` ${oneLine(unit)}`
}

/** Describes why samples are missing. */
function unsampledText({ why, name = '', reason = '', message = '', time = 0, count = 0 }: NodeEvent & { event: 'unsampled' }): string {
  switch (why) {
    case 'ended':
      return reason
    case 'refused':
    case 'problem':
      return oneLine(message)
    case 'lost':
      return `${counted(count, 'sample')} were not sent, since this node was slow`
    case 'gap':
      return `${oneLine(name)}: no samples for ${(time / 1000).toFixed(1)} s`
  }
}

function wholeMemberText({ id, incarnation, location }: NodeJson): string {
  return `${id} (${oneLine(location)}, incarnation ${incarnation})`
}

/** Like `wholeMemberText`, but shorter. */
export function memberText(node: NodeJson): string {
  return `${nodeName(node)} (${oneLine(node.location)})`
}

/** Returns an address without the id of its member, as `host:port` if it has no other parts. */
export function addressText(address: string): string {
  const place = address.replace(/\/p2p\/[^/]+$/u, '')
  const [, family, host, port] = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/(\d+)$/u.exec(place) ?? []
  if (host === undefined) return oneLine(place)
  return oneLine(family === 'ip6' ? `[${host}]:${port}` : `${host}:${port}`)
}

/** Returns a tag as text, or the number of its bytes if it is not text. */
export function tagText(tag: string): string {
  const bytes = Buffer.from(tag, 'base64')
  return isUtf8(bytes) ? oneLine(bytes.toString()) : `${bytes.length} bytes`
}

function payloadText(payload: string): string {
  return payload === '' ? '' : `: ${tagText(payload)}`
}

/** Describes a node's connectivity. */
export function healthText({ alone, minority, links, members, suspectedShare }: NodeEvent & { event: 'health' }): string {
  const part = minority ? ', in a minority' : ''
  if (alone) return `alone: ${members > 2 ? `none of the other ${members - 1} members` : 'no other member'} can be reached${part}`
  const suspected = suspectedShare === 0 ? '' : `, ${Math.round(suspectedShare * 100)} % of the others suspected or lost`
  return `${counted(members, 'member')}, ${counted(links, 'link')}${suspected}${part}`
}

/** Returns a short name for tables: the end of the id. */
export function nodeName({ id }: NodeJson): string {
  return shortId(id)
}
