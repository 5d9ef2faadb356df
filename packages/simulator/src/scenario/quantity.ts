/** Parses durations, sizes, rates and shares as people write them. */
import type { Milliseconds } from '@jel/protocol'
import { show, Unfit, written } from './schema-kit.ts'

const units: Record<string, Milliseconds> = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 }
const durationPattern = '^(\\d+(\\.\\d+)? ?(ms|s|min|m|h|d) ?)+$'
const durationForm = 'a duration such as 250ms, 10s, 5m or 1h30m'

/** Returns the milliseconds of `10s`, `250ms`, `1h30m`; 0 needs no unit. */
export function parseDuration(value: unknown): Milliseconds | Unfit {
  if (value === 0) return 0
  if (typeof value === 'number')
    return value < 0 ? negative('duration', value) : new Unfit(`${value} lacks a unit; expected ${durationForm}`)
  if (typeof value !== 'string') return new Unfit(`expected ${durationForm}, not ${show(value)}`)
  const text = value.trim()
  if (text.startsWith('-')) return negative('duration', value)
  if (text === '0') return 0
  if (!new RegExp(durationPattern, 'u').test(text)) return new Unfit(`expected ${durationForm}, not ${show(value)}`)
  let sum = 0
  for (const [, amount, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?) ?(ms|min|s|m|h|d)/gu)) sum += Number(amount) * (units[unit] ?? 0)
  return sum
}

/** Formats a duration for a file. */
export function writeDuration(ms: Milliseconds): string {
  if (ms === 0) return '0s'
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const) {
    if (ms >= size && Number.isInteger((ms / size) * 10)) return `${ms / size}${unit}`
  }
  return ms >= 10_000 && Number.isInteger(ms / 100) ? `${ms / 1_000}s` : `${ms}ms`
}

export const duration = written(parseDuration, { anyOf: [{ type: 'string', pattern: durationPattern }, { const: 0 }] })

/** A duration above 0. */
export const span = written(
  (value) => {
    const parsed = parseDuration(value)
    return parsed === 0 ? new Unfit('must be longer than 0') : parsed
  },
  { type: 'string', pattern: durationPattern },
)

/**
 * Two durations, the smaller duration first. Their form is `1ms..20ms`, or one duration if both are
 * equal.
 */
export interface DurationRange {
  readonly min: Milliseconds
  readonly max: Milliseconds
}

export const durationRange = written(
  (value): DurationRange | Unfit => {
    const parts = typeof value === 'string' ? value.split('..') : [value]
    if (parts.length > 2) return new Unfit(`expected ${durationForm}, or a range such as 1ms..20ms, not ${show(value)}`)
    const max = parseDuration(parts.at(-1))
    if (max instanceof Unfit) return max
    const [first] = parts
    // In 1..20ms both numbers have the same unit.
    const bare = parts.length === 2 && typeof first === 'string' && /^\d+(\.\d+)?$/u.test(first.trim())
    const unit = bare ? /[a-z]+$/u.exec(String(parts[1]).trim())?.[0] : ''
    const min = parseDuration(bare ? `${first.trim()}${unit}` : first)
    if (min instanceof Unfit) return min
    return min > max ? new Unfit(`${show(value)}: the first of the two must be the smaller one`) : { min, max }
  },
  { anyOf: [{ type: 'string', pattern: '^[\\d.]+ ?[a-z]*(\\.\\.[\\d.]+ ?[a-z]+)?$' }, { const: 0 }] },
)

const shareForm = 'a share such as 30%'

/** Returns 0 to 1 for `30%` or 0.3. */
export function parseShare(value: unknown): number | Unfit {
  const percent = typeof value === 'string' ? /^(-?\d+(?:\.\d+)?) ?%$/u.exec(value.trim())?.[1] : undefined
  const share = percent === undefined ? value : Number(percent) / 100
  if (typeof share !== 'number') return new Unfit(`expected ${shareForm}, not ${show(value)}`)
  return share >= 0 && share <= 1 ? share : new Unfit(`expected ${shareForm}, from 0% to 100%, not ${show(value)}`)
}

export const share = written(parseShare, {
  anyOf: [
    { type: 'string', pattern: '^\\d+(\\.\\d+)? ?%$' },
    { type: 'number', minimum: 0, maximum: 1 },
  ],
})

/** A share of packets below 100 %, so that TCP repeats no packet for ever. */
export const loss = written(
  (value): number | Unfit => {
    const parsed = parseShare(value)
    if (!(parsed instanceof Unfit) && parsed < 1) return parsed
    return new Unfit(`expected ${shareForm}, from 0% to below 100%, not ${show(value)}; to cut nodes off, use silence or partition`)
  },
  {
    anyOf: [
      { type: 'string', pattern: '^\\d{1,2}(\\.\\d+)? ?%$' },
      { type: 'number', minimum: 0, exclusiveMaximum: 1 },
    ],
  },
)

const prefixes: Record<string, number> = { '': 1, k: 1e3, K: 1e3, M: 1e6, G: 1e9, Ki: 1_024, Mi: 1_048_576, Gi: 1_073_741_824 }

/** A number of bytes, written `1MB`, `40 KB` or `64KiB`. */
export const size = written(
  (value): number | Unfit => {
    const form = 'a size such as 300B, 40KB or 1.5MB'
    if (value === 0) return 0
    if (typeof value === 'number') return value < 0 ? negative('size', value) : new Unfit(`${value} lacks a unit; expected ${form}`)
    const match = typeof value === 'string' ? /^(-?)(\d+(?:\.\d+)?) ?(|[kKMG]i?)B$/u.exec(value.trim()) : null
    if (match === null) return new Unfit(`expected ${form}, not ${show(value)}`)
    return match[1] === '-' ? negative('size', value) : Number(match[2]) * (prefixes[match[3] ?? ''] ?? 1)
  },
  { anyOf: [{ type: 'string', pattern: '^\\d+(\\.\\d+)? ?([kKMG]i?)?B$' }, { const: 0 }] },
)

/** A number of bits per second, written `1Mbit`, `100 Mbit/s`, `10Gbps` or `1MB/s`. */
export const bandwidth = written(
  (value): number | Unfit => {
    const form = 'a bandwidth such as 1Mbit, 100Mbit/s or 10MB/s'
    const match = typeof value === 'string' ? /^(-?)(\d+(?:\.\d+)?) ?(|[kKMG]i?)(bit(?:\/s)?|bps|B\/s)$/u.exec(value.trim()) : null
    if (match === null) return new Unfit(`expected ${form}, not ${show(value)}`)
    if (match[1] === '-') return negative('bandwidth', value)
    const bits = Number(match[2]) * (prefixes[match[3] ?? ''] ?? 1) * (match[4] === 'B/s' ? 8 : 1)
    return bits > 0 ? bits : new Unfit('must be more than 0; to cut nodes off, use the actions silence or partition')
  },
  { type: 'string', pattern: '^\\d+(\\.\\d+)? ?([kKMG]i?)?(bit(/s)?|bps|B/s)$' },
)

/** A number of events per second, written `10/s`, `30/m` or `5/h`. */
export const rate = written(
  (value): number | Unfit => {
    const match = typeof value === 'string' ? /^(-?\d+(?:\.\d+)?) ?\/ ?(s|min|m|h|d)$/u.exec(value.trim()) : null
    if (match === null) return new Unfit(`expected a rate such as 10/s or 30/m, not ${show(value)}`)
    const perSecond = (Number(match[1]) * 1_000) / (units[match[2] ?? ''] ?? 1_000)
    return perSecond > 0 ? perSecond : new Unfit(`a rate must be more than 0, not ${show(value)}`)
  },
  { type: 'string', pattern: '^\\d+(\\.\\d+)? ?/ ?(s|min|m|h|d)$' },
)

/** A whole number of at least `least`. */
export function count(least: number) {
  return written(
    (value): number | Unfit =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= least
        ? value
        : new Unfit(`expected a whole number from ${least} on, not ${show(value)}`),
    { type: 'integer', minimum: least },
  )
}

/** A number of at least `least`. */
export function amount(least: number) {
  return written(
    (value): number | Unfit =>
      typeof value === 'number' && Number.isFinite(value) && value >= least
        ? value
        : new Unfit(`expected a number from ${least} on, not ${show(value)}`),
    { type: 'number', minimum: least },
  )
}

export function text(what: string) {
  return written(
    (value): string | Unfit => (typeof value === 'string' && value !== '' ? value : new Unfit(`expected ${what}, not ${show(value)}`)),
    {
      type: 'string',
      minLength: 1,
    },
  )
}

/** Consecutive whole numbers, both ends included. */
export interface IntegerRange {
  readonly first: number
  readonly last: number
}

/** Parses `3` or `3..9`. */
export function parseRange(value: unknown): IntegerRange | undefined {
  const match = /^(\d+)(?:\.\.(\d+))?$/u.exec(String(value).trim())
  if (match === null || !['string', 'number'].includes(typeof value)) return undefined
  const first = Number(match[1])
  const last = Number(match[2] ?? match[1])
  return last >= first && Number.isSafeInteger(last) ? { first, last } : undefined
}

function negative(what: string, value: unknown): Unfit {
  return new Unfit(`a ${what} can't be negative: ${show(value)}`)
}
