/**
 * The messages of an order. With it an administrator changes the pool keys or the allow list of a
 * member. Each order has a stream of its own. The member sends a nonce, the asker sends the order,
 * and the member answers. The signature covers the pool, the member, the nonce and the task. So no
 * order counts twice, or at another member.
 */
import { hash } from 'node:crypto'
import type { PoolKeyInfo } from '@jel/jel'
import * as v from 'valibot'
import { WHOLE_ID } from '../base/whole-id.ts'

export const ORDERS_PROTOCOL = '/jel-node-orders/1.0.0'
/** How long an order may take, from the stream's opening to its answer, ms. Guess. */
export const ORDER_TIMEOUT = 5_000
/**
 * Maximum number of bytes of a message. A key has less than 120, and an answer has 8 keys at most.
 */
export const MESSAGE_LIMIT = 4_096

/** The form of the fingerprint of a pool key. */
const keyIdPattern = /^[0-9a-f]{16}$/u

const id = v.pipe(v.string(), v.regex(WHOLE_ID))
const keyId = v.pipe(v.string(), v.regex(keyIdPattern))
const text = v.pipe(v.string(), v.maxLength(1_024))
const base64 = v.pipe(v.string(), v.maxLength(128), v.base64())

/**
 * `key` is the text of the key to install, or the fingerprint of an installed key. `node` is the id
 * of the node to allow or to disallow.
 */
const task = v.variant('do', [
  v.strictObject({ do: v.literal('list') }),
  v.strictObject({ do: v.literal('install'), key: text }),
  v.strictObject({ do: v.picklist(['use', 'remove']), key: keyId }),
  v.strictObject({ do: v.literal('allowList') }),
  v.strictObject({ do: v.picklist(['allow', 'disallow']), node: id }),
])
const order = v.strictObject({ by: id, task, signature: base64 })
const refusal = v.strictObject({ refused: text })
const invitation = v.union([v.strictObject({ nonce: base64 }), refusal])
const outcome = v.union([
  v.strictObject({ keys: v.pipe(v.array(v.strictObject({ id: keyId, primary: v.boolean() })), v.maxLength(8)) }),
  v.strictObject({ allowed: v.strictObject({ count: v.pipe(v.number(), v.safeInteger()), fingerprint: keyId }) }),
  refusal,
])

/** The task that an administrator gives to a member. */
export type Task = v.InferOutput<typeof task>
/** A signed task. */
export type Order = v.InferOutput<typeof order>
/** The first message of a member: the nonce for the signature, or the reason of a refusal. */
export type Invitation = v.InferOutput<typeof invitation>
/** The size of an allow list, and a hash of its ids. Equal lists have equal fingerprints. */
export interface AllowListInfo {
  readonly count: number
  /** 16 hexadecimal digits. */
  readonly fingerprint: string
}
/** The keys or the allow list of a member after the change. */
export type Done = { readonly keys: readonly PoolKeyInfo[] } | { readonly allowed: AllowListInfo }
/** The answer of a member: its state after the change, or the reason of a refusal. */
export type Outcome = Done | v.InferOutput<typeof refusal>

export const readOrder = (value: unknown): Order => read(order, value)
export const readInvitation = (value: unknown): Invitation => read(invitation, value)
export const readOutcome = (value: unknown): Outcome => read(outcome, value)

/** Returns whether the text is the fingerprint of a pool key. */
export function isKeyId(given: string): boolean {
  return keyIdPattern.test(given)
}

/** @param ids sorted */
export function describeAllowList(ids: readonly string[]): AllowListInfo {
  return { count: ids.length, fingerprint: hash('sha256', ids.join('\n'), 'hex').slice(0, 16) }
}

/** Returns the bytes that the administrator signs. `pool.sign` adds the name of the pool. */
export function signedBytes(member: string, nonce: string, { do: what, ...rest }: Task): Uint8Array {
  const [subject = ''] = Object.values(rest)
  return new TextEncoder().encode(`jel order 1\0${JSON.stringify([member, nonce, what, subject])}`)
}

/** The error does not show the value: it may hold a key. */
function read<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const { success, output } = v.safeParse(schema, value)
  if (!success) throw new Error('a message about an order that nobody can read')
  return output
}
