import type { NodeEvent } from '../agent/events.ts'
import { isInternal } from '../terminal/reporter.ts'

/** What can be handled by name. `stopped` is not among them: who leaves waits for nobody. */
export const HANDLED = [
  'started',
  'joined',
  'left',
  'died',
  'updated',
  'elected',
  'signal',
  'event',
  'poolClosed',
  'terminated',
  'health',
  'record',
  'error',
] as const satisfies readonly NodeEvent['event'][]

/** A command that is run for events, as `--on` gives it. */
export interface Handler {
  readonly events: readonly {
    /** `*` is every kind. */
    readonly kind: string
    /** Only those of this name: of a signal, an event or a record, an election, the code of an error. */
    readonly name?: string
  }[]
  /** For the shell. */
  readonly command: string
}

/** Codes of what is told of handlers: it must not run handlers again. */
export const HANDLER_FAILED = 'HANDLER_FAILED'
export const HANDLER_BACKLOG = 'HANDLER_BACKLOG'

/** Reads `joined,signal:go=command`. Undefined: it is not of that form. */
export function parseHandler(text: string): Handler | undefined {
  const [, listed, command] = /^([^=]+)=(.*\S.*)$/su.exec(text) ?? []
  if (listed === undefined || command === undefined) return undefined
  const events = listed.split(',').map((each) => {
    const [kind = '', ...rest] = each.split(':')
    return rest.length === 0 ? { kind } : { kind, name: rest.join(':') }
  })
  return events.every(({ kind }) => kind === '*' || HANDLED.some((each) => each === kind)) ? { events, command } : undefined
}

/** Whether a handler is run for an event. */
export function handles({ events }: Handler, event: NodeEvent): boolean {
  if (event.event === 'stopped' || isInternal(event)) return false
  if (event.event === 'error' && (event.code === HANDLER_FAILED || event.code === HANDLER_BACKLOG)) return false
  return events.some(({ kind, name }) => (kind === '*' || kind === event.event) && (name === undefined || name === nameOf(event)))
}

/** What an event is called besides its kind, if anything. */
export function nameOf(event: NodeEvent): string | undefined {
  if ('name' in event) return event.name
  if ('election' in event) return event.election
  return 'code' in event ? event.code : undefined
}
