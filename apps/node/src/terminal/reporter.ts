import { isUtf8 } from 'node:buffer'
import type { Command } from '../agent/commands.ts'
import type { Answer, NodeEvent, NodeJson } from '../agent/events.ts'
import { jsonLine } from '../agent/json-line.ts'
import type { Output } from '../base/output.ts'
import { counted, oneLine, shortId } from '../base/text.ts'

/** Sends a command to the node of the reporter. */
export type Ask = (command: Command) => Promise<NodeEvent | undefined>

/**
 * Reports events to a program, a log, or a person at a terminal. Only programs give commands, and
 * get answers.
 */
export interface Reporter<Event = NodeEvent> {
  report(event: Event): void
  /** Shows text that is for people only. */
  note(text: string): void
  /** Takes the function that sends commands to the node. */
  follow?(ask: Ask): void
  /** Ends the reports. */
  close(): void
}

/** Reports as one JSON object a line, and nothing else. */
export function jsonReporter(output: Output, pool: string): Reporter<Answer> {
  return {
    report: (event) => output.line(jsonLine(event, pool)),
    note() {},
    close() {},
  }
}

/** Reports as one line an event, for people and their logs. */
export function plainReporter(output: Output): Reporter {
  return {
    report(event) {
      if (!isInternal(event)) this.note(describe(event))
    },
    note(text) {
      output.line(`${new Date().toISOString()} ${text}`)
    },
    close() {},
  }
}

/**
 * Returns whether an event is a record of members that compute. These describe members and jobs to
 * one another; a person sees their effects.
 */
export function isInternal(event: NodeEvent): boolean {
  return event.event === 'record' && event.name.startsWith('jel.compute/')
}

/** Describes an event; `name` describes a member. */
export function describe(event: NodeEvent, name: (node: NodeJson) => string = nodeWords): string {
  switch (event.event) {
    case 'started':
      return `started ${event.node.id} at ${event.node.addresses.join(' ')}`
    case 'joined':
    case 'left':
    case 'died':
      return `${event.event} ${name(event.node)}`
    case 'updated':
      return `updated ${name(event.node)}, tag ${JSON.stringify(tagWords(event.node.tag))}, at ${event.node.addresses.join(' ')}`
    case 'elected':
      return `elected ${oneLine(event.election)}: ${name(event.node)}, epoch ${event.epoch}`
    case 'signal':
      return `signal ${oneLine(event.name)} from ${name(event.node)}`
    case 'event':
      return `event ${oneLine(event.name)} from ${name(event.node)}${payloadWords(event.payload)}`
    case 'query':
      return `query ${oneLine(event.name)} from ${name(event.node)}${payloadWords(event.payload)}`
    case 'reply':
      return `${name(event.node)}${payloadWords(event.payload)}`
    case 'poolClosed':
      return `pool closed: all ${event.size} members have joined`
    case 'terminated':
      return `terminated by ${event.by} at ${new Date(event.at).toISOString()}`
    case 'health':
      return `health: ${healthWords(event)}`
    case 'members':
      return `${event.nodes.length} members`
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
    case 'error':
      return `${event.code}: ${oneLine(event.message)}`
    case 'http':
      return `page at ${event.url}`
    case 'opened':
    case 'done':
    case 'stopped':
  }
  return event.event
}

function nodeWords({ id, incarnation, location }: NodeJson): string {
  return `${id} (${oneLine(location)}, incarnation ${incarnation})`
}

/** Like `nodeWords`, but shorter. */
export function shortWords(node: NodeJson): string {
  return `${nodeName(node)} (${oneLine(node.location)})`
}

/**
 * Returns an address as `host:port`, if it has no other parts, and without the id of its member.
 */
export function addressWords(address: string): string {
  const place = address.replace(/\/p2p\/[^/]+$/u, '')
  const [, family, host, port] = /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]+)\/tcp\/(\d+)$/u.exec(place) ?? []
  if (host === undefined) return oneLine(place)
  return oneLine(family === 'ip6' ? `[${host}]:${port}` : `${host}:${port}`)
}

/**
 * Returns a tag as text. Bytes that are not text mean nothing to a person, so only their number is
 * shown.
 */
export function tagWords(tag: string): string {
  const bytes = Buffer.from(tag, 'base64')
  return isUtf8(bytes) ? oneLine(bytes.toString()) : `${bytes.length} bytes`
}

function payloadWords(payload: string): string {
  return payload === '' ? '' : `: ${tagWords(payload)}`
}

/** Describes a node's connectivity. */
export function healthWords({ alone, minority, links, members, suspectedShare }: NodeEvent & { event: 'health' }): string {
  const part = minority ? ', in a minority' : ''
  if (alone) return `alone: ${members > 2 ? `none of the other ${members - 1} members` : 'no other member'} can be reached${part}`
  const suspected = suspectedShare === 0 ? '' : `, ${Math.round(suspectedShare * 100)} % of the others suspected or lost`
  return `${counted(members, 'member')}, ${counted(links, 'link')}${suspected}${part}`
}

/** Returns a short name for tables: the end of the id. */
export function nodeName({ id }: NodeJson): string {
  return shortId(id)
}
