/** Schemas of values in scenario files. Each schema also has a JSON schema, for editors. */
import * as v from 'valibot'
import { nearest } from './nearest.ts'

/** A parser's reason for refusing a value. */
export class Unfit {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

type JsonSchema = Readonly<Record<string, unknown>>

/** A schema of any value, which it parses to a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>

/** The parsed value of a mapping with these entries. */
type Fields<Entries extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Entries, undefined>>

/** Gives editors this JSON schema. */
export function shownAs<T>(schema: Schema<T>, json: JsonSchema): Schema<T> {
  return v.pipe(schema, v.metadata({ json }))
}

/** Gives editors a description of the value. */
export function about<T>(schema: Schema<T>, description: string): Schema<T> {
  return v.pipe(schema, v.description(description))
}

/** Makes a schema that parses the value of another schema further. */
export function parsed<In, Out>(schema: Schema<In>, parse: (value: In) => Out | Unfit): Schema<Out> {
  return v.pipe(
    schema,
    v.rawTransform<In, Out>(({ dataset, addIssue, NEVER }) => {
      const result = parse(dataset.value)
      if (!(result instanceof Unfit)) return result
      addIssue({ message: result.reason })
      return NEVER
    }),
  )
}

/**
 * Makes a schema of a value that people write in a special form, such as `10s`. Editors get the
 * JSON schema.
 */
export function written<T>(parse: (value: unknown) => T | Unfit, json: JsonSchema): Schema<T> {
  return shownAs(parsed(v.unknown(), parse), json)
}

/**
 * Makes a schema of several forms. `pick` selects the intended form, so that an error is about this
 * form alone.
 */
export function choice<T>(schemas: readonly Schema<T>[], pick: (value: unknown) => Schema<T> | Unfit): Schema<T> {
  const picked = v.lazy((value): Schema<T> => {
    const schema = pick(value)
    return schema instanceof Unfit ? v.custom<T>(() => false, schema.reason) : schema
  })
  return shownAs(picked, { anyOf: schemas.map(jsonSchemaOf) })
}

/**
 * Makes a schema of a mapping with these keys and no other keys. There is one issue for each
 * unknown key, with the nearest known key.
 */
export function mapping<const Entries extends v.ObjectEntries>(entries: Entries, what = 'a mapping'): Schema<Fields<Entries>> {
  const all: v.ObjectEntries = entries
  const known = Object.keys(all)
  const schema: Schema<unknown> = v.pipe(
    v.custom<object>(isMapping, `expected ${what} with ${known.join(', ')}`),
    // A strict object would report the first unknown key only.
    v.looseObject(all, 'is missing'),
    v.rawCheck(({ dataset, addIssue }) => {
      const input = dataset.value as Record<string, unknown>
      for (const key of Object.keys(input).filter((each) => !known.includes(each)))
        addIssue({ message: unknownKey(key, known), path: [{ type: 'object', origin: 'key', input, key, value: input[key] }] })
    }),
  )
  const properties = Object.fromEntries(Object.entries(all).map(([key, each]) => [key, jsonSchemaOf(each)]))
  const required = known.filter((key) => all[key]?.type !== 'exact_optional')
  const json = { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
  return shownAs(schema, json) as Schema<Fields<Entries>>
}

interface Place {
  readonly path: readonly PropertyKey[]
  /** The key that is unknown in the mapping at the path. */
  readonly unknown?: string
}

/** Returns the place of an issue in the file. */
export function placeOf({ type, path }: v.BaseIssue<unknown>): Place {
  const keys = path?.map(({ key }) => key as PropertyKey) ?? []
  // Only the check of a mapping's keys is a raw check.
  return type === 'raw_check' ? { path: keys.slice(0, -1), unknown: String(keys.at(-1)) } : { path: keys }
}

/** Makes a schema of a mapping from any names to such values. */
export function named<T>(each: Schema<T>): Schema<Readonly<Record<string, T>>> {
  const schema: Schema<Record<string, T>> = v.pipe(
    v.custom<Record<string, unknown>>(isMapping, ({ input }) => `expected a mapping from names, not ${show(input)}`),
    v.record(v.string(), each),
  )
  return shownAs(schema, { type: 'object', additionalProperties: jsonSchemaOf(each) })
}

export function list<T>(each: Schema<T>): Schema<readonly T[]> {
  const schema: Schema<T[]> = v.array(each, ({ input }) => `expected a list, not ${show(input)}`)
  return shownAs(schema, { type: 'array', items: jsonSchemaOf(each) })
}

/** Makes a schema of this value alone. */
export function exactly<const T extends string | boolean>(only: T): Schema<T> {
  return written((value): T | Unfit => (value === only ? only : new Unfit(`expected ${only}, not ${show(value)}`)), { const: only })
}

/** True or false. */
export const flag = written(
  (value): boolean | Unfit => (typeof value === 'boolean' ? value : new Unfit(`expected true or false, not ${show(value)}`)),
  { type: 'boolean' },
)

/** Makes a schema of one of these words. */
export function word<const Word extends string>(words: readonly Word[], what: string): Schema<Word> {
  return written(
    (value): Word | Unfit =>
      words.find((each) => each === value) ??
      new Unfit(`no such ${what}: ${show(value)}${hint(String(value), words)}; expected ${words.join(', ')}`),
    { enum: words },
  )
}

export function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key ${show(key)}${hint(key, known)}; expected ${known.join(', ')}`
}

function hint(word: string, known: readonly string[]): string {
  const close = nearest(word, known)
  return close === undefined ? '' : `, did you mean ${show(close)}?`
}

/** Formats a value for an error. */
export function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return typeof value === 'string' ? `"${short}"` : short
}

/** Returns the JSON schema of the written form, not of the parsed value. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  if ('wrapped' in schema) {
    const value = 'default' in schema ? schema.default : undefined
    return { ...jsonSchemaOf(schema.wrapped as v.GenericSchema), ...(value !== undefined && { default: value }) }
  }
  const description = v.getDescription(schema)
  return { ...(description !== undefined && { description }), ...(v.getMetadata(schema).json as JsonSchema | undefined) }
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
