import type { CommandId, MemberState } from './events.ts'

/**
 * The commands of a running node, one JSON object a line: from a parent process on standard input,
 * from others on the control socket.
 */
export type Command = { readonly id?: CommandId } & (
  | { readonly command: 'status' | 'health' | 'links' | 'leave' }
  | { readonly command: 'members'; readonly location?: string; readonly tag?: string; readonly state?: MemberState | 'all' }
  | { readonly command: 'elect' | 'result' | 'withdraw'; readonly election: string }
  /** Gives up the command with this id. */
  | { readonly command: 'cancel'; readonly of: CommandId }
  | { readonly command: 'maybeDead'; readonly node: string }
  | { readonly command: 'signal'; readonly name: string; readonly nodes: readonly string[] }
  /** `value` is base64, `ttl` milliseconds. */
  | { readonly command: 'publish'; readonly name: string; readonly value: string; readonly ttl: number }
  | { readonly command: 'unpublish'; readonly name: string }
  | { readonly command: 'records'; readonly prefix?: string }
  /** Tags and payloads are base64. */
  | { readonly command: 'tag'; readonly tag: string }
  | { readonly command: 'event'; readonly name: string; readonly payload?: string }
  /**
   * A `reply` of each member that answers comes first, then `done`. `timeout` is in milliseconds.
   */
  | {
      readonly command: 'query'
      readonly name: string
      readonly payload?: string
      readonly timeout?: number
      readonly nodes?: readonly string[]
      readonly location?: string
      readonly tag?: string
    }
  /**
   * The session gets queries of this name as `query`, and answers them by `reply`, until it ends.
   */
  | { readonly command: 'answer' | 'unanswer'; readonly name: string }
  /** `query` is the number in the event. Without a payload the node sends no answer. */
  | { readonly command: 'reply'; readonly query: number; readonly payload?: string }
  | { readonly command: 'terminate' }
  /** The answer is `opened`. Its path takes the one connection that gets the stream. */
  | { readonly command: 'open'; readonly node: string; readonly protocol: string }
  /** Streams of others go to the socket at `path`, on which the program listens. */
  | { readonly command: 'handle'; readonly protocol: string; readonly path: string }
  | { readonly command: 'unhandle'; readonly protocol: string }
  /**
   * `key` is the text of a key file, or the id of an installed key. Without `do` the answer lists
   * the keys.
   */
  | { readonly command: 'keys'; readonly do?: 'install' | 'use' | 'remove'; readonly key?: string }
  | JobCommand
)

/**
 * Commands about jobs. The node must be able to read the files at their paths. The answer is events
 * of jobs, and then `done`.
 */
export type JobCommand =
  | { readonly command: 'jobs' }
  | {
      readonly command: 'job'
      /** An id or a name. */
      readonly job: string
      readonly do?: 'cancel' | 'suspend' | 'resume' | 'forget'
      /**
       * Waits for the result, or for the end with all progress. The default is the present state.
       */
      readonly until?: 'result' | 'ended'
      /** Lists the tasks that are held, and those that wait for them. */
      readonly waits?: boolean
    }
  | {
      readonly command: 'submit'
      readonly file: string
      readonly function: string
      readonly input?: unknown
      /** Paths of files, by the fields of the input that name them. */
      readonly blobs?: Readonly<Record<string, string>>
      readonly name?: string
      /** ms */
      readonly keep?: number
      readonly votes?: number
      readonly until?: 'ended'
    }

/**
 * An error for a line that is not a command. `re` is the command's id, where the line has a
 * readable one.
 */
export class CommandError extends Error {
  readonly code: 'MALFORMED_JSON' | 'UNKNOWN_COMMAND' | 'INVALID_COMMAND' | 'LINE_TOO_LONG' | 'CANCELLED'
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

const id: Check = (value) => (typeof value === 'string' || typeof value === 'number' ? undefined : 'must be a string or a number')
const number: Check = (value) => (typeof value === 'number' ? undefined : 'must be a number')
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')
const anything: Check = () => undefined
const files: Check = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string')
    ? undefined
    : 'must be an object of paths'
const oneOf =
  (...offered: readonly string[]): Check =>
  (value) =>
    offered.some((each) => each === value) ? undefined : `must be one of ${offered.join(', ')}`
const base64: Check = (value) =>
  typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value ? undefined : 'must be base64'
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value)

/** The fields of each command besides `command` and `id`. */
const FIELDS = new Map<string, Readonly<Record<string, Check>>>([
  ['members', { location: optional(text), tag: optional(text), state: optional(oneOf('here', 'left', 'died', 'all')) }],
  ['status', {}],
  ['health', {}],
  ['links', {}],
  ['elect', { election: text }],
  ['result', { election: text }],
  ['withdraw', { election: text }],
  ['cancel', { of: id }],
  ['maybeDead', { node: text }],
  ['signal', { name: text, nodes: texts }],
  ['publish', { name: text, value: base64, ttl: number }],
  ['unpublish', { name: text }],
  ['records', { prefix: optional(text) }],
  ['tag', { tag: base64 }],
  ['event', { name: text, payload: optional(base64) }],
  [
    'query',
    {
      name: text,
      payload: optional(base64),
      timeout: optional(number),
      nodes: optional(texts),
      location: optional(text),
      tag: optional(text),
    },
  ],
  ['answer', { name: text }],
  ['unanswer', { name: text }],
  ['reply', { query: number, payload: optional(base64) }],
  ['terminate', {}],
  ['open', { node: text, protocol: text }],
  ['handle', { protocol: text, path: text }],
  ['unhandle', { protocol: text }],
  ['keys', { do: optional(oneOf('install', 'use', 'remove')), key: optional(text) }],
  ['jobs', {}],
  [
    'job',
    {
      job: text,
      do: optional(oneOf('cancel', 'suspend', 'resume', 'forget')),
      until: optional(oneOf('result', 'ended')),
      waits: optional(flag),
    },
  ],
  [
    'submit',
    {
      file: text,
      function: text,
      input: anything,
      blobs: optional(files),
      name: optional(text),
      keep: optional(number),
      votes: optional(number),
      until: optional(oneOf('ended')),
    },
  ],
  ['leave', {}],
])

/** Parses one line. Throws CommandError for anything that is not a command. */
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
  const { command, id: given, ...rest } = value as Record<string, unknown>
  const problemOfId = optional(id)(given)
  if (problemOfId !== undefined) throw new CommandError('INVALID_COMMAND', `id: ${problemOfId}`)
  const re = given as CommandId | undefined
  if (typeof command !== 'string') throw new CommandError('INVALID_COMMAND', 'command: must be a string', re)
  const fields = FIELDS.get(command)
  if (fields === undefined) {
    throw new CommandError('UNKNOWN_COMMAND', `unknown command ${excerpt(command)}; known are ${[...FIELDS.keys()].join(', ')}`, re)
  }
  for (const name of Object.keys(rest)) {
    if (!Object.hasOwn(fields, name)) throw new CommandError('INVALID_COMMAND', `${command}: unknown field ${excerpt(name)}`, re)
  }
  for (const [name, check] of Object.entries(fields)) {
    const problem = check(rest[name])
    if (problem !== undefined) throw new CommandError('INVALID_COMMAND', `${command}: ${name}: ${problem}`, re)
  }
  return value as Command
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
