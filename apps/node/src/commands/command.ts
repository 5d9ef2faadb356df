import type * as v from 'valibot'
import type { Agent } from '../agent/agent.ts'
import type { Answers } from '../agent/answers.ts'
import type { Answer, CommandId, NodeEvent } from '../events/events.ts'
import type { FieldsOf } from '../base/schema.ts'
import type { Flag } from './flags.ts'

/** The session that gave a command, and its node. */
export interface Context {
  readonly agent: Agent
  /** Aborted when the command is cancelled. */
  readonly signal: AbortSignal
  /** Takes the answers that come before the last one. */
  readonly report: (event: Answer) => void
  /** The queries that the session answers. */
  readonly answers: Answers
  readonly cancel: (id: CommandId) => void
  readonly leave: () => void
}

/** The kind of the last answer. */
type Kind = NodeEvent['event']
export type EventOf<Last extends Kind> = Extract<NodeEvent, { readonly event: Last }>
type Content<Last extends Kind> = Last extends 'done' | 'stopped' ? void : Omit<EventOf<Last>, 'event' | 're'>

/**
 * A command of a running node. It is a line of JSON on standard input or the control socket. With
 * `shell` it is a command of the command line as well.
 */
interface NodeCommand<Entries extends v.ObjectEntries, Last extends Kind> {
  /** A remark for the documents. The default is the remark of the command line. */
  readonly about?: string
  /** The fields besides `command` and `id`. */
  readonly fields: Entries
  /** The default is `done`. */
  readonly answer?: Last
  /** Carries out the command. Returns the content of the answer. */
  readonly run: (fields: FieldsOf<Entries>, context: Context) => Content<Last> | Promise<Content<Last>>
  readonly shell?: Shell<EventOf<Last>>
}

/** A command as a person gives it. `given` has the operands and flags together, by name. */
export interface Shell<Event extends NodeEvent = never> {
  /** The default is the name of the command. */
  readonly name?: string
  readonly about: string
  readonly operands?: readonly Flag[]
  /** The default is `ASK_FLAGS`. */
  readonly flags?: readonly Flag[]
  /** If several nodes run here, may any of them be asked? Default: only the one that is named. */
  readonly asksAny?: (given: never) => boolean
  /** Returns the line of JSON. The default has no fields. */
  readonly line?: (given: never) => Line | Promise<Line>
  /** Returns the answer for a person. The default is the text of the event. */
  readonly text?: (answer: Event, now: number) => string[] | Promise<string[]>
  /** Returns the exit status. The default is 0. */
  readonly status?: (answer: Event) => number
  /** A failure has its code before its message: a person looks the code up. */
  readonly namesCode?: boolean
  /** The replies go on until the command is stopped. Then the exit status is 0. */
  readonly follows?: boolean
  /** Shows the replies before the last answer, too. `status` takes the last reply. */
  readonly shows?: boolean
  /** Returns the problem if no reply came before the last answer. By default that is no problem. */
  readonly silence?: (given: never) => string
}

interface Line {
  readonly command: string
}

/** Defines a command. The types of its fields and of its answer follow from their values. */
export function command<const Entries extends v.ObjectEntries, Last extends Kind = 'done'>(
  definition: NodeCommand<Entries, Last>,
): NodeCommand<Entries, Last> {
  return definition
}
