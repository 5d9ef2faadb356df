import { accessSync, constants, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { NodeEvent } from '../events/events.ts'
import { HANDLER_BACKLOG, HANDLER_FAILED } from '../events/handler-errors.ts'
import { isInternal } from '../events/internal.ts'

/**
 * The events that can be handled by name. `stopped` can't be handled: a node that leaves does not
 * wait for a handler.
 */
export const HANDLED = [
  'started',
  'joined',
  'left',
  'died',
  'updated',
  'elected',
  'ordered',
  'ledger',
  'signal',
  'event',
  'poolClosed',
  'terminated',
  'health',
  'record',
  'error',
] as const satisfies readonly NodeEvent['event'][]

/** The kind of a handler that answers queries of one name. */
const QUERY = 'query'

/** A command that runs on events, as `--on` gives it. */
export interface Handler {
  readonly events: readonly {
    /** `*` matches every kind. */
    readonly kind: string
    /**
     * Selects events of this name: the name of a signal, an event, an ordered message, a record or
     * an election, or the code of an error.
     */
    readonly name?: string
  }[]
  /** The command for the shell. */
  readonly command: string
}

/** Parses `joined,signal:go,query:load=command`. Returns undefined for another form. */
export function parseHandler(text: string): Handler | undefined {
  const [, listed, command] = /^([^=]+)=(.*\S.*)$/su.exec(text) ?? []
  if (listed === undefined || command === undefined) return undefined
  const events = listed.split(',').map((each) => {
    const [kind = '', ...rest] = each.split(':')
    return rest.length === 0 ? { kind } : { kind, name: rest.join(':') }
  })
  const isKnown = ({ kind, name }: Handler['events'][number]): boolean =>
    kind === QUERY ? name !== undefined && name !== '' : kind === '*' || HANDLED.some((each) => each === kind)
  return events.every(isKnown) ? { events, command } : undefined
}

/**
 * If a command is a file that can't run, or such a file with arguments, returns the reason. The
 * shell would say so only at the first event, which may be the one that matters.
 */
export function missingFileOf({ command }: Handler): string | undefined {
  // A command such as `a || b` may itself cope with a missing file.
  const [, path] = /^\s*([\w.+/-]*\/[\w.+-]+)(?:\s[^|&;\n]*)?$/u.exec(command) ?? []
  if (path === undefined || process.platform === 'win32') return undefined
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return `${path} does not exist: there is no file ${resolve(path)}`
  try {
    accessSync(path, constants.X_OK)
    return undefined
  } catch {
    return `${path} can't be executed: chmod +x ${path}`
  }
}

/** Returns the names of the queries that a handler answers. */
export function queriesOf({ events }: Handler): string[] {
  return events.flatMap(({ kind, name }) => (kind === QUERY && name !== undefined ? [name] : []))
}

/** Returns whether a handler runs on an event. */
export function handles({ events }: Handler, event: NodeEvent): boolean {
  if (event.event === 'stopped' || event.event === 'output' || isInternal(event)) return false
  if (event.event === 'error' && (event.code === HANDLER_FAILED || event.code === HANDLER_BACKLOG)) return false
  return events.some(({ kind, name }) => (kind === '*' || kind === event.event) && (name === undefined || name === nameOf(event)))
}

/** Returns an event's name besides its kind, if it has one. */
export function nameOf(event: NodeEvent): string | undefined {
  if ('name' in event) return event.name
  if ('election' in event) return event.election
  return 'code' in event ? event.code : undefined
}
