/** A number, a text, true or false. */
export type Scalar = number | string | boolean

/** The value of an attribute. */
export type Value = Scalar | readonly Scalar[]

/** Maximum bytes of a value as JSON. A guess: a list of the devices of a machine fits. */
export const MAX_VALUE_BYTES = 1024

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

/** Returns the problem with a measured value; undefined: none. */
export function valueProblem(value: unknown): string | undefined {
  if (!isScalar(value) && !(Array.isArray(value) && value.every(isScalar)))
    return 'is no finite number, text, true, false, or list of these'
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length
  return bytes > MAX_VALUE_BYTES ? `takes ${bytes} bytes; at most ${MAX_VALUE_BYTES} are allowed` : undefined
}
