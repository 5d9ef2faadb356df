import { isUtf8 } from 'node:buffer'
import { oneLine, printable } from '../base/text.ts'
import type { Value } from '@jel/monitor'
import type { NodeEvent, NodeJson } from './events.ts'
import type { OutputEvent } from './job-messages.ts'
import { counted, shortId, timeText } from './quantity.ts'

/** The text of each kind of event for a person; `name` describes a member. */
const texts: {
  readonly [Kind in NodeEvent['event']]: (event: NodeEvent & { readonly event: Kind }, name: (node: NodeJson) => string) => string
} = {
  started: (event) => `started ${event.node.id} at ${event.node.addresses.join(' ')}`,
  joined: (event, name) => `${event.event} ${name(event.node)}`,
  left: (event, name) => `${event.event} ${name(event.node)}`,
  died: (event, name) => `${event.event} ${name(event.node)}`,
  updated: (event, name) =>
    `updated ${name(event.node)}, tag ${JSON.stringify(tagText(event.node.tag))}, ${event.node.reach}, at ${oneLine(event.node.addresses.join(' '))}`,
  elected: (event, name) => `elected ${oneLine(event.election)}: ${name(event.node)}, epoch ${event.epoch}`,
  confirmed: (event, name) =>
    event.winner === null
      ? `${oneLine(event.election)}: nobody reigns`
      : `${oneLine(event.election)}: ${name(event.winner)}, epoch ${event.epoch}`,
  ordered: (event, name) => `ordered ${event.index}: ${oneLine(event.name)} from ${name(event.node)}${payloadText(event.payload)}`,
  placed: (event) => `placed at ${event.index}`,
  ledger: (event) =>
    `ledger ${event.state}, term ${event.term}, ${event.leader === null ? 'no leader' : `leader ${shortId(event.leader)}`}, ${counted(event.voters.length, 'voter')}`,
  signal: (event, name) => `signal ${oneLine(event.name)} from ${name(event.node)}`,
  event: (event, name) => `event ${oneLine(event.name)} from ${name(event.node)}${payloadText(event.payload)}`,
  query: (event, name) => `query ${oneLine(event.name)} from ${name(event.node)}${payloadText(event.payload)}`,
  asked: (event) => `asked ${counted(event.members, 'member')}`,
  reply: (event, name) => `${name(event.node)}${payloadText(event.payload)}`,
  poolClosed: (event) => `pool closed with ${counted(event.size, 'member')}`,
  terminated: (event) => `terminated by ${event.by} at ${new Date(event.at).toISOString()}`,
  health: (event) => `health: ${healthText(event)}`,
  members: (event) => counted(event.nodes.length, 'member'),
  info: (event) => counted(event.members.length, 'member'),
  selected: (event) => `${event.matching} of ${counted(event.considered, 'member')} ${event.matching === 1 ? 'matches' : 'match'}`,
  lease: (event) => `lease ${event.number} of ${event.member}`,
  leases: (event) => `leases of ${counted(event.members.length, 'member')}`,
  rankOutput: (event) => `[${event.rank}] ${printable(event.text)}`,
  ran: (event) => `${counted(event.ranks.length, 'rank')} ${event.ranks.length === 1 ? 'has' : 'have'} ended`,
  groups: (event) => counted(event.groups.length, 'group'),
  services: (event) => counted(event.services.length, 'service'),
  called: (event) => JSON.stringify(event.result ?? null),
  sample: (event) => {
    const time = new Date(event.at).toISOString().slice(11, 19)
    const holds = event.holds === undefined ? '' : event.holds ? ', the condition holds' : ', the condition no longer holds'
    const source = event.site === undefined ? shortId(event.member) : `${oneLine(event.site)} (${event.count ?? 0})`
    return `${time} ${source} ${oneLine(event.name)} ${valueText(event.value)}${unitText(event.unit)}${holds}${event.replayed ? ', late' : ''}`
  },
  unsampled: (event) => `${shortId(event.member)} ${unsampledText(event)}`,
  record: (event) =>
    `record ${oneLine(event.name)} of ${event.owner}${event.value === null ? ' is gone' : `, ${counted(Buffer.byteLength(event.value, 'base64'), 'byte')}`}`,
  status: (event) => `${event.node.id}, ${counted(event.members, 'member')}`,
  links: (event) => counted(event.links.length, 'link'),
  records: (event) => counted(event.records.length, 'record'),
  keys: (event) => `keys ${event.keys.map(({ id, primary }) => (primary ? `${id} (primary)` : id)).join(' ')}`,
  allowed: (event) => (event.nodes === null ? 'every node may connect' : `${counted(event.nodes.length, 'node')} may connect`),
  jobs: (event) => counted(event.jobs.length + event.more, 'job'),
  output: (event) => outputLines(event).join('\n'),
  error: (event) => `${event.code}: ${oneLine(event.message)}`,
  notice: (event) => `${event.code}: ${oneLine(event.message)}`,
  http: (event) => `page at ${event.url}`,
  web: (event) => `browsers take part at ${event.urls.join(' ')}`,
  opened: ({ event }) => event,
  done: ({ event }) => event,
  stopped: ({ event }) => event,
}

/** All kinds of events of a node. */
export const EVENT_KINDS = Object.keys(texts) as readonly NodeEvent['event'][]

/** Describes an event for a person; `name` describes a member. */
export function eventText(event: NodeEvent, name: (node: NodeJson) => string = wholeMemberText): string {
  // A node of a later release may have further kinds.
  if (!Object.hasOwn(texts, event.event)) return event.event
  return (texts[event.event] as (event: NodeEvent, name: (node: NodeJson) => string) => string)(event, name)
}

/** Describes output. Each line of it has its source in front. */
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
      return `${counted(count, 'sample')} ${count === 1 ? 'was' : 'were'} not sent, since this node was slow`
    case 'gap':
      return `${oneLine(name)}: no samples for ${timeText(time)}`
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
  return isUtf8(bytes) ? oneLine(bytes.toString()) : counted(bytes.length, 'byte')
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
