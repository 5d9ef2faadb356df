/** Parses the values of flags. Each function throws a RangeError with the text for the user. */
import { isIPv4, isIPv6 } from 'node:net'
import type { TaskLimits } from '@jel/compute'
import type { Value } from '@jel/monitor'
import { WHOLE_ID } from './base/whole-id.ts'
import { HANDLED, missingFileOf, parseHandler, queriesOf, type Handler } from './handlers/handler.ts'

/** Parses an address to listen at, such as `127.0.0.1:8080` or `[::1]:0`. */
export function httpOf(text: string): { readonly host: string; readonly port: number } {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/u.exec(text) ?? []
  const host = v6 ?? v4 ?? ''
  if (!(v6 === undefined ? isIPv4(host) : isIPv6(host)) || Number(port) > 65_535)
    throw new RangeError('It must be IP:PORT, as in 127.0.0.1:8080, or [::1]:0 for any port.')
  return { host, port: Number(port) }
}

/** The longest time that a timer takes: 2³¹ - 1 milliseconds. */
const MAX_SECONDS = Math.floor((2 ** 31 - 1) / 1000)

type Texts = Readonly<Record<string, string>>

export function blobOf(text: string, blobs: Texts): Texts {
  const [, name, file] = /^(\w+)=(.+)$/su.exec(text) ?? []
  if (name === undefined || file === undefined) throw new RangeError('It must be NAME=FILE, as in matrices=nug12.dat.')
  return { ...blobs, [name]: file }
}

export function limitOf(text: string, limits: Partial<TaskLimits>): Partial<TaskLimits> {
  const [, what, amount] = /^(time|memory|disk)=(\d+(?:\.\d+)?)$/u.exec(text) ?? []
  if (what === undefined) throw new RangeError('It must be time=SECONDS, memory=MiB or disk=MiB.')
  if (what === 'time') return { ...limits, time: durationOf(amount as string) }
  const megabytes = Number(amount)
  if (!(megabytes >= 16 && megabytes <= 65_536)) throw new RangeError('It must be 16 to 65536 MiB.')
  return { ...limits, [what]: Math.floor(megabytes) }
}

export function ticketsOf(text: string, tickets: Readonly<Record<string, number>> | undefined): Readonly<Record<string, number>> {
  const [, owner, count] = /^(\w+)=(\d+(?:\.\d+)?)$/u.exec(text) ?? []
  if (owner === undefined || !(Number(count) > 0 && Number(count) <= 1_000_000))
    throw new RangeError('It must be own=COUNT or ID=COUNT, a count above 0 and at most 1000000.')
  return { ...tickets, [owner]: Number(count) }
}

const UNITS = { s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a time with a unit, such as `2 h`. Returns ms; NaN for any other text. */
function spanOf(text: string, units: readonly (keyof typeof UNITS)[]): number {
  const [, amount, name] = /^(\d+(?:\.\d+)?) ?(\w+)$/u.exec(text) ?? []
  const unit = units.find((each) => each === name)
  return unit === undefined ? Number.NaN : Number(amount) * UNITS[unit]
}

export function keepOf(text: string): number {
  const time = spanOf(text, ['min', 'h', 'd'])
  if (!(time > 0 && time <= 31 * UNITS.d)) throw new RangeError('It must be a time as in 30 min, 12 h or 7 d, at most 31 d.')
  return time
}

/** Returns the limit of a job's time, ms. */
export function maxTimeOf(text: string): number {
  const time = spanOf(text, ['s', 'min', 'h', 'd'])
  if (!(time >= UNITS.s && time <= 31 * UNITS.d)) throw new RangeError('It must be a time as in 90 s, 30 min or 2 h, from 1 s to 31 d.')
  return time
}

export function percentOf(text: string): number {
  const percent = /^\d+(?:\.\d+)?%?$/u.test(text) ? Number.parseFloat(text) : Number.NaN
  if (!(percent <= 100)) throw new RangeError('It must be a percentage from 0 to 100.')
  return percent
}

export function countOfMembers(text: string): number {
  const count = /^\d{1,6}$/u.test(text) ? Number(text) : 0
  if (count < 1) throw new RangeError('It must be a whole number above 0.')
  return count
}

/** Parses a constant, such as `room=basement` or `gpus=2`. */
export function constantOf(text: string, constants: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const [, name, value] = /^([a-z_][\w.]{0,63})=(.+)$/isu.exec(text) ?? []
  if (name === undefined || value === undefined) throw new RangeError('It must be NAME=VALUE, as in room=basement or gpus=2.')
  return {
    ...constants,
    [name]: /^-?\d+(?:\.\d+)?$/u.test(value) ? Number(value) : ['true', 'false'].includes(value) ? value === 'true' : value,
  }
}

/** Parses an offered capacity, such as `cpus=8`. */
export function offerOf(text: string, offers: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const [, name, amount] = /^([a-z_][\w.]{0,63})=(\d+(?:\.\d+)?)$/iu.exec(text) ?? []
  if (name === undefined) throw new RangeError('It must be NAME=AMOUNT, as in cpus=8.')
  return { ...offers, [name]: Number(amount) }
}

/** Parses a share, such as `20%` or `0.2`. */
export function shareOf(text: string): number {
  const [, amount, percent] = /^(\d+(?:\.\d+)?)(%?)$/u.exec(text) ?? []
  if (amount === undefined) throw new RangeError('It must be a share, as in 20% or 0.2.')
  return Number(amount) / (percent === '%' ? 100 : 1)
}

export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value]
}

/** A node has one tag. Serf has several, and takes a flag for each. */
export function tagOf(text: string, before: string | undefined): string {
  if (before !== undefined) throw new RangeError('A node has one tag, so give it once, as in --tag "role=db dc=delft".')
  return text
}

/** The id of an Ed25519 key, as `jel keygen --identity` prints it. */
export function adminOf(text: string, before: readonly string[]): string[] {
  if (!WHOLE_ID.test(text)) throw new RangeError('It must be the id of a key, as jel keygen --identity prints it.')
  return [...before, text]
}

export function handlerOf(text: string, before: readonly Handler[]): Handler[] {
  const handler = parseHandler(text)
  if (handler === undefined) {
    throw new RangeError(
      `It must be EVENT=COMMAND, as in joined,left=./script.sh, signal:go=./go.sh or query:load=uptime; events are *, query:NAME and ${HANDLED.join(', ')}.`,
    )
  }
  const missing = missingFileOf(handler)
  if (missing !== undefined) throw new RangeError(`Its command ${missing}.`)
  const answered = new Set(before.flatMap(queriesOf))
  const twice = queriesOf(handler).find((name) => answered.has(name))
  if (twice !== undefined) throw new RangeError(`Queries named ${twice} have an answer already.`)
  return [...before, handler]
}

export function durationOf(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : Number.NaN
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) throw new RangeError(`It must be a number of seconds above 0, at most ${MAX_SECONDS}.`)
  return seconds * 1000
}

export function votesOf(text: string): number {
  if (!/^[1-7]$/u.test(text)) throw new RangeError('It must be a whole number from 1 to 7.')
  return Number(text)
}

export const membersOf = wholeNumber(1, 50_000)
export const workersOf = wholeNumber(1, 256)
export const retriesOf = wholeNumber(0, 100)
export const countOf = wholeNumber(3, 50)

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = /^\d+$/u.test(text) ? Number(text) : Number.NaN
    if (!(count >= least && count <= most)) throw new RangeError(`It must be a whole number from ${least} to ${most}.`)
    return count
  }
}
