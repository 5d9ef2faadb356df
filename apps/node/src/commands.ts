import type { CommandId } from './events.ts'

/** What a parent process may ask of `jel join --json`, one JSON object a line of standard input. */
export type Command = { readonly id?: CommandId } & (
  | { readonly command: 'members' | 'leave' }
  | { readonly command: 'elect' | 'result'; readonly election: string }
  | { readonly command: 'maybeDead'; readonly node: string }
  | { readonly command: 'signal'; readonly name: string; readonly nodes: readonly string[] }
  /** `value` is base64, `ttl` milliseconds. */
  | { readonly command: 'publish'; readonly name: string; readonly value: string; readonly ttl: number }
  | { readonly command: 'unpublish'; readonly name: string }
  | { readonly command: 'records'; readonly prefix?: string }
)

/** A line that is no command. `re` is the id it bears, where that can be told. */
export class CommandError extends Error {
  readonly code: 'MALFORMED_JSON' | 'UNKNOWN_COMMAND' | 'INVALID_COMMAND' | 'LINE_TOO_LONG'
  readonly re: CommandId | undefined

  constructor(code: CommandError['code'], message: string, re?: CommandId) {
    super(message)
    this.code = code
    this.re = re
  }
}

type Check = (value: unknown) => string | undefined

const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string')
const texts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'must be an array of strings'

const number: Check = (value) => (typeof value === 'number' ? undefined : 'must be a number')
const base64: Check = (value) =>
  typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value ? undefined : 'must be base64'
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value)

/** The fields of each command besides `command` and `id`. */
const FIELDS = new Map<string, Readonly<Record<string, Check>>>([
  ['members', {}],
  ['elect', { election: text }],
  ['result', { election: text }],
  ['maybeDead', { node: text }],
  ['signal', { name: text, nodes: texts }],
  ['publish', { name: text, value: base64, ttl: number }],
  ['unpublish', { name: text }],
  ['records', { prefix: optional(text) }],
  ['leave', {}],
])

/** Reads one line; throws CommandError for anything that is not a command. */
export function parseCommand(line: string): Command {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new CommandError('MALFORMED_JSON', `not JSON: ${excerpt(line)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandError('INVALID_COMMAND', `a command is a JSON object, not ${excerpt(line)}`)
  }
  const { command, id, ...rest } = value as Record<string, unknown>
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') {
    throw new CommandError('INVALID_COMMAND', 'id: must be a string or a number')
  }
  if (typeof command !== 'string') throw new CommandError('INVALID_COMMAND', 'command: must be a string', id)
  const fields = FIELDS.get(command)
  if (fields === undefined) {
    throw new CommandError('UNKNOWN_COMMAND', `unknown command ${excerpt(command)}; known are ${[...FIELDS.keys()].join(', ')}`, id)
  }
  for (const name of Object.keys(rest)) {
    if (!Object.hasOwn(fields, name)) throw new CommandError('INVALID_COMMAND', `${command}: unknown field ${excerpt(name)}`, id)
  }
  for (const [name, check] of Object.entries(fields)) {
    const problem = check(rest[name])
    if (problem !== undefined) throw new CommandError('INVALID_COMMAND', `${command}: ${name}: ${problem}`, id)
  }
  return value as Command
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
