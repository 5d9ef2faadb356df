import { isSignedInPool, type Overlay } from '@jel/overlay'
import { fromString, toString } from 'uint8arrays'
import * as v from 'valibot'
import { fromJson, toJson } from '../core/json.ts'
import type { Life } from '../fold/events.ts'
import type { ReadStatement } from '../fold/bodies.ts'

const statement = v.strictObject({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  incarnation: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  signature: v.pipe(v.string(), v.regex(/^[\da-f]{128}$/u)),
})

/** Signs that a life wants to join. So no other member can propose its join. */
export async function signLife(port: Pick<Overlay, 'sign'>, { id, incarnation }: Life): Promise<Uint8Array> {
  const signature = toString(await port.sign(messageOf({ id, incarnation })), 'base16')
  return toJson({ id, incarnation, signature })
}

/** Returns a function that reads such statements. They are valid in one pool only. */
export function lifeReader(pool: string): ReadStatement {
  return (bytes) => {
    const read = fromJson(statement, bytes)
    if (read === undefined) return undefined
    const { id, incarnation, signature } = read
    const isGenuine = isSignedInPool(pool, id, messageOf(read), fromString(signature, 'base16'))
    return isGenuine ? { id, incarnation } : undefined
  }
}

function messageOf({ id, incarnation }: Life): Uint8Array {
  return new TextEncoder().encode(`jel.ledger join ${id} ${incarnation}`)
}
