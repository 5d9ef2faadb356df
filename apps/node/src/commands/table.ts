/**
 * The commands of a running node. Lines of JSON, the command line, completion, the man page and the
 * documents all come from this table.
 */
import * as v from 'valibot'
import type { CommandId } from '../events/events.ts'
import { id as commandId, type FieldsOf } from '../base/schema.ts'
import { CommandError } from '../base/usage-error.ts'
import { lease, release, select } from './allocation.ts'
import { allow } from './allow.ts'
import { elect, result, withdraw } from './elections.ts'
import { info } from './info.ts'
import { job, jobs, map, submit } from './jobs.ts'
import { keys } from './keys.ts'
import { groups, leases } from './leases.ts'
import { abandon, confirm, ledger, order, recover } from './ledger.ts'
import { links, maybeDead, members } from './members.ts'
import { answer, event, query, reply, signal, unanswer } from './messages.ts'
import { cancel, health, leave, status, tag, terminate } from './node.ts'
import { publish, records, unpublish } from './records.ts'
import { call, services } from './services.ts'
import { handle, open, unhandle } from './streams.ts'
import { run } from './run.ts'
import { watch } from './watch.ts'

/** An error lists the commands in this order. */
export const commands = {
  members,
  status,
  health,
  links,
  info,
  watch,
  select,
  lease,
  release,
  leases,
  run,
  groups,
  services,
  call,
  elect,
  result,
  withdraw,
  confirm,
  order,
  ledger,
  recover,
  abandon,
  cancel,
  maybeDead,
  signal,
  publish,
  unpublish,
  records,
  tag,
  event,
  query,
  answer,
  unanswer,
  reply,
  terminate,
  open,
  handle,
  unhandle,
  keys,
  allow,
  jobs,
  job,
  submit,
  map,
  leave,
}

export type CommandName = keyof typeof commands

/**
 * A command: a line with one JSON object. A parent process writes it to standard input. Other
 * programs write it to the control socket.
 */
export type Command = {
  [Name in CommandName]: { readonly command: Name; readonly id?: CommandId } & Readonly<FieldsOf<(typeof commands)[Name]['fields']>>
}[CommandName]

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
  const { command, id, ...rest } = value as Record<string, unknown>
  const problemOfId = problemOf(v.optional(commandId), id)
  if (problemOfId !== undefined) throw new CommandError('INVALID_COMMAND', `id: ${problemOfId}`)
  const re = id as CommandId | undefined
  if (typeof command !== 'string') throw new CommandError('INVALID_COMMAND', 'command: must be a string', re)
  if (!Object.hasOwn(commands, command))
    throw new CommandError('UNKNOWN_COMMAND', `unknown command ${excerpt(command)}; known are ${Object.keys(commands).join(', ')}`, re)
  const fields: v.ObjectEntries = commands[command as CommandName].fields
  for (const name of Object.keys(rest)) {
    if (!Object.hasOwn(fields, name)) throw new CommandError('INVALID_COMMAND', `${command}: unknown field ${excerpt(name)}`, re)
  }
  for (const [name, schema] of Object.entries(fields)) {
    const problem = problemOf(schema, rest[name])
    if (problem !== undefined) throw new CommandError('INVALID_COMMAND', `${command}: ${name}: ${problem}`, re)
  }
  return value as Command
}

function problemOf(schema: v.ObjectEntries[string], value: unknown): string | undefined {
  return v.safeParse(schema, value).issues?.[0].message
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
