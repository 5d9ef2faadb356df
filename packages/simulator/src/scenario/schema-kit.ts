import * as z from 'zod'
import { nearest } from './nearest.ts'

/** A parser's reason for refusing a value. */
export class Unfit {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Translations of schemas that zod can't translate, for editors: a JSON schema, or the
 * alternatives.
 */
const translations = new WeakMap<object, JsonSchema | readonly z.ZodType[]>()

/**
 * Makes a schema of a value that people write in a special form, such as `10s`. Editors get the
 * JSON schema.
 */
export function written<T>(parse: (value: unknown) => T | Unfit, json: JsonSchema): z.ZodType<T> {
  const schema = z.unknown().transform((value, context): T => {
    const parsed = parse(value)
    if (!(parsed instanceof Unfit)) return parsed
    context.addIssue({ code: 'custom', message: value === undefined ? 'is missing' : parsed.reason })
    return z.NEVER
  })
  translations.set(schema, json)
  return schema
}

/**
 * Makes a schema of several forms. `pick` selects the intended form, so that an error is about this
 * form alone.
 */
export function choice<T>(schemas: readonly z.ZodType<T>[], pick: (value: unknown) => z.ZodType<T> | Unfit): z.ZodType<T> {
  const schema = z.unknown().transform((value, context): T => {
    const picked = pick(value)
    if (picked instanceof Unfit) {
      context.addIssue({ code: 'custom', message: value === undefined ? 'is missing' : picked.reason })
      return z.NEVER
    }
    const result = picked.safeParse(value)
    if (result.success) return result.data
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: value } as never)
    return z.NEVER
  })
  translations.set(schema, schemas)
  return schema
}

/**
 * Makes a schema of a mapping with these keys and no other keys. The error message has a line for
 * each unknown key, with the nearest known key.
 */
export function mapping<Shape extends z.core.$ZodLooseShape>(shape: Shape, what = 'a mapping'): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, known)).join('\n')
      return issue.code === 'invalid_type' ? `expected ${what} with ${known.join(', ')}` : undefined
    },
  })
}

/** Gives editors a simpler schema than the checked schema. */
export function shownAs<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  translations.set(schema, json)
  return schema
}

/** Makes a schema of one of these words. */
export function word<const Word extends string>(words: readonly Word[], what: string): z.ZodType<Word> {
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
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const translation = translations.get(zodSchema)
      if (translation === undefined) return
      const description = jsonSchema.description
      if (isList(translation)) Object.assign(jsonSchema, { anyOf: translation.map((each) => withoutDialect(jsonSchemaOf(each))) })
      else {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
        Object.assign(jsonSchema, translation)
      }
      if (description !== undefined) jsonSchema.description = description
    },
  })
}

function isList(value: JsonSchema | readonly z.ZodType[]): value is readonly z.ZodType[] {
  return Array.isArray(value)
}

function withoutDialect(json: JsonSchema): JsonSchema {
  const rest: Record<string, unknown> = { ...json }
  delete rest['$schema']
  return rest
}
