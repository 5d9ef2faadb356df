import { fromString, toString } from 'uint8arrays'
import * as v from 'valibot'
import { fromJson, toJson } from '../core/json.ts'
import type { Proposal } from '../core/messages.ts'
import type { Life } from './events.ts'

/**
 * Reads the signed statement of a life that joins. Returns undefined for other bytes, and for a
 * wrong signature. The result must depend on the bytes alone, so that all members agree.
 */
export type ReadStatement = (statement: Uint8Array) => Life | undefined

/** Maximum bytes of an ordered message. */
const MAX_PAYLOAD = 1024

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(128))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(128))
/** One life of a member. Each start of its process begins another life. */
const life = { id, incarnation: count }
/** Whether the unused bits of the last base64 digit are zero. */
function isCanonical(text: string): boolean {
  try {
    return toBase64(fromBase64(text)) === text
  } catch {
    return false
  }
}

/** Bytes in base64. Each value has only one spelling, so that equal contents are equal entries. */
const base64 = (most: number) =>
  v.pipe(
    v.string(),
    v.maxLength(Math.ceil(most / 3) * 4),
    v.regex(/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/u),
    v.check(isCanonical),
  )
const candidacy = v.strictObject({ election: name, ...life, sequence: count })

/** The bodies of the entries that the fold reads, by their kinds. */
const bodies = {
  /** The first entry of a pool of a fixed size has this size. */
  begin: v.strictObject({ size: v.pipe(count, v.minValue(1)) }),
  /** The signed statement of the life that joins. */
  join: v.strictObject({ statement: base64(2048) }),
  gone: v.strictObject({ ...life, how: v.picklist(['left', 'died']) }),
  stand: candidacy,
  withdraw: candidacy,
  /** `number`: 1, 2, … in each life. */
  order: v.strictObject({ ...life, number: v.pipe(count, v.minValue(1)), name, payload: base64(MAX_PAYLOAD) }),
} as const

export type Kind = keyof typeof bodies
/** The content of an entry of each kind. */
export type Body<K extends Kind = Kind> = { readonly [Each in K]: { readonly kind: Each } & v.InferOutput<(typeof bodies)[Each]> }[K]

/** Makes an entry to propose. */
export function encode<K extends Exclude<Kind, 'begin'>>(kind: K, body: v.InferOutput<(typeof bodies)[K]>): Proposal {
  return { kind, body: toJson(body) }
}

/** Returns undefined for an entry that the fold can't read. All members skip it. */
export function decode({ kind, body }: { readonly kind: string; readonly body: Uint8Array }): Body | undefined {
  if (!Object.hasOwn(bodies, kind)) return undefined
  const content = fromJson(bodies[kind as Kind], body)
  return content === undefined ? undefined : ({ kind, ...content } as Body)
}

/**
 * Whether a member may propose this entry. It may concern only the member itself, and may not say
 * that the member died: only the leader proposes deaths.
 */
export function mayPropose(id: string, entry: { readonly kind: string; readonly body: Uint8Array }, read: ReadStatement): boolean {
  const body = decode(entry)
  if (body === undefined || body.kind === 'begin') return false
  if (body.kind === 'join') return read(fromBase64(body.statement))?.id === id
  return body.id === id && (body.kind !== 'gone' || body.how === 'left')
}

export function toBase64(bytes: Uint8Array): string {
  return toString(bytes, 'base64pad')
}

export function fromBase64(text: string): Uint8Array {
  return fromString(text, 'base64pad')
}
