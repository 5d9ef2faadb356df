import type { Command } from '../commands/table.ts'
import { eventText } from '../events/event-text.ts'
import { isInternal } from '../events/internal.ts'
import { jsonLine, type Answer, type NodeEvent } from '../events/events.ts'
import type { Output } from '../base/output.ts'

/** Sends a command to the node of the reporter. */
export type Ask = (command: Command) => Promise<NodeEvent | undefined>

/**
 * Reports events to a program, a log, or a person at a terminal. Only programs give commands, and
 * get answers.
 */
export interface Reporter<Event = NodeEvent> {
  report(event: Event): void
  /** Shows text that is for people only. */
  note(text: string): void
  /** Takes the function that sends commands to the node. */
  follow?(ask: Ask): void
  /** Ends the reports. */
  close(): void
}

/** Reports each event as a line with one JSON object, and nothing else. */
export function jsonReporter(output: Output, pool: string): Reporter<Answer> {
  return {
    report: (event) => output.line(jsonLine(event, pool)),
    note() {},
    close() {},
  }
}

/** Reports each event as a line of text, for people and their logs. */
export function plainReporter(output: Output): Reporter {
  const changes = new VisibleChanges()
  return {
    report(event) {
      if (!isInternal(event) && changes.take(event)) this.note(eventText(event))
    },
    note(text) {
      output.line(`${new Date().toISOString()} ${text}`)
    },
    close() {},
  }
}

/**
 * Finds changes that a line shows. Members also change in ways that no line shows, for example in
 * the constants that programs state.
 */
class VisibleChanges {
  /** For each member the text of its last change. */
  readonly #last = new Map<string, string>()

  /** Returns whether a line about this event says something new. */
  take(event: NodeEvent): boolean {
    if (event.event === 'left' || event.event === 'died') this.#last.delete(event.node.id)
    if (event.event !== 'joined' && event.event !== 'updated') return true
    const { id } = event.node
    const text = eventText({ ...event, event: 'updated' })
    const isNew = event.event === 'joined' || this.#last.get(id) !== text
    this.#last.set(id, text)
    return isNew
  }
}
