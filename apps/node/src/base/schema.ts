/** The schemas of fields in JSON. Clients get the error messages of the schemas. */
import * as v from 'valibot'

/** The values of fields with these schemas. */
export type FieldsOf<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>

export const text = v.string('must be a string')
export const number = v.number('must be a number')
export const bool = v.boolean('must be true or false')
export const list = v.array(v.unknown(), 'must be an array')
export const texts = v.array(v.string('must be an array of strings'), 'must be an array of strings')
export const id = v.union([v.string(), v.number()], 'must be a string or a number')

export const base64 = v.custom<string>(
  (value) => typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value,
  'must be base64',
)

/** Paths of files, by name. */
export const paths = v.custom<Readonly<Record<string, string>>>(
  (value) => typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string'),
  'must be an object of paths',
)

export function oneOf<const Options extends readonly string[]>(...options: Options) {
  return v.picklist(options, `must be one of ${options.join(', ')}`)
}
