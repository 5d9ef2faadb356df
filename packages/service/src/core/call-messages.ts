import * as v from 'valibot'
import { MAX_VALUE_BYTES } from './value.ts'

/** Maximum bytes of a message about calls: a value and the other fields. */
export const MAX_CALL_BYTES = MAX_VALUE_BYTES + 4096

const id = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const text = (length: number) => v.pipe(v.string(), v.maxLength(length))
/** Maximum characters of a key. */
export const MAX_KEY = 128

/** A message from a caller to a server. */
export const callerMessage = v.union([
  v.object({ call: id, name: text(64), key: text(MAX_KEY), input: v.unknown() }),
  v.object({ cancel: id }),
  /** Asks for the part of the server in a replicated service of this name. */
  v.object({ call: id, status: text(64) }),
])
export type CallerMessage = v.InferOutput<typeof callerMessage>

/** The answer to a call. `moved`: another member is the primary. */
export const serverMessage = v.union([
  v.object({ call: id, result: v.unknown() }),
  v.object({ call: id, error: v.object({ code: text(64), message: text(4096) }) }),
  v.object({ call: id, moved: v.literal(true) }),
])
export type ServerMessage = v.InferOutput<typeof serverMessage>

/** The schema of the part of a member in a replicated service. */
export const statusMessage = v.object({
  role: v.picklist(['spare', 'backup', 'takes over', 'primary']),
  primary: v.optional(text(128)),
  epoch: v.optional(id),
  backups: v.pipe(v.array(text(128)), v.maxLength(256)),
  operations: id,
  refusal: v.optional(v.object({ code: text(64), message: text(4096) })),
})

/** The answer of an instance. `result` is JSON. `moved`: another member is the primary. */
export type Answer =
  | { readonly result: string }
  | { readonly error: { readonly code: string; readonly message: string } }
  | { readonly moved: true }

/** Encodes an answer. The result is JSON already. */
export function answerText(call: number, answer: Answer): string {
  if ('result' in answer) return `{"call":${call},"result":${answer.result}}`
  if ('moved' in answer) return JSON.stringify({ call, moved: true })
  const { code, message } = answer.error
  return JSON.stringify({ call, error: { code, message: message.slice(0, 4096) } })
}
