import { COMMAND_LIMIT, readLines } from '../base/lines.ts'
import { CommandError, codeOf, messageOf } from '../base/usage-error.ts'
import type { Context } from '../commands/command.ts'
import { commands, parseCommand, type Command } from '../commands/table.ts'
import type { Agent } from '../agent/agent.ts'
import { Answers } from '../agent/answers.ts'
import { withRe, type Answer, type CommandId, type NodeEvent } from '../events/events.ts'

/** A command with any fields. */
interface Runnable {
  readonly answer?: NodeEvent['event']
  run(command: Command, context: Context): object | void | Promise<object | void>
}

/**
 * A client of a running node, on its standard streams or its control socket. It gets events, and
 * gives commands.
 */
export class Session {
  readonly #agent: Agent
  readonly #unsubscribe: () => void
  readonly #answers: Answers
  /** Commands that still wait for their answer. */
  readonly #pending = new Set<{ readonly id: CommandId | undefined; readonly controller: AbortController }>()
  #write: ((event: Answer) => void) | undefined
  #idle: (() => void) | undefined
  /** The id of the `leave` command, if it stopped the node. */
  #leaveId: CommandId | undefined

  constructor(agent: Agent, write: (event: Answer) => void) {
    this.#agent = agent
    this.#write = write
    this.#answers = new Answers(agent.pool, (event) => this.#report(event))
    this.#unsubscribe = agent.subscribe((event) => this.#hear(event))
  }

  /** Takes commands, one a line, until the input ends. */
  async follow(input: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const line of readLines(input, COMMAND_LIMIT)) {
        // A node that leaves takes no more commands, but still sends its last events.
        if (this.#agent.stopping) continue
        if ('problem' in line) this.#refuse(problemOf(line.problem))
        else if (line.text.trim() !== '') this.#take(line.text)
      }
    } catch {
      // A read error counts as the end of the input.
    }
  }

  /** Waits until all commands are answered. */
  async idle(): Promise<void> {
    if (this.#pending.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve))
  }

  /** Ends the session and cancels the commands that still wait for their answer. */
  close(): void {
    // Later answers are dropped.
    this.#write = undefined
    this.#unsubscribe()
    this.#answers.close()
    for (const { controller } of this.#pending) controller.abort(new CommandError('CANCELLED', 'nobody waits for the answer'))
  }

  #hear(event: NodeEvent): void {
    if (event.event !== 'stopped') {
      this.#report(event)
      return
    }
    this.#report({ ...event, ...withRe(this.#leaveId) })
    this.close()
  }

  #report(event: Answer): void {
    this.#write?.(event)
  }

  #take(text: string): void {
    let command: Command
    try {
      command = parseCommand(text)
    } catch (error) {
      this.#refuse(error)
      return
    }
    void this.#carryOut(command)
  }

  /**
   * Carries out a command, and returns its last answer: as a promise only if the command has to
   * wait. `report` takes the earlier answers. The answer to `leave` is `stopped`. The node itself
   * reports `stopped`.
   */
  run(command: Command, signal: AbortSignal, report: (event: Answer) => void): NodeEvent | Promise<NodeEvent> {
    const entry = commands[command.command] as unknown as Runnable
    const content = entry.run(command, {
      agent: this.#agent,
      signal,
      report,
      answers: this.#answers,
      cancel: (id) => this.#cancel(id),
      leave: () => this.#leave(command.id),
    })
    const answerOf = (fields: object | void): NodeEvent => ({ event: entry.answer ?? 'done', ...fields }) as NodeEvent
    return content instanceof Promise ? content.then(answerOf) : answerOf(content)
  }

  async #carryOut(command: Command): Promise<void> {
    const { id } = command
    this.#agent.log.debug('COMMAND', command.command)
    const pending = { id, controller: new AbortController() }
    this.#pending.add(pending)
    try {
      const { reigns } = this.#agent.model
      const before = 'election' in command ? reigns.get(command.election) : undefined
      const report = (event: Answer): void => this.#report({ ...event, ...withRe(id) })
      const coming = this.run(command, pending.controller.signal, report)
      const answer = this.#latest(coming instanceof Promise ? await coming : coming)
      if (answer.event === 'stopped') return
      if (answer.event === 'done') {
        // A mere confirmation goes only to a client that sent an id.
        if (id !== undefined) this.#report({ event: 'done', re: id })
        return
      }
      if (answer.event === 'elected') this.#agent.report(answer)
      // A client that sent no id has already received a new reign as an event.
      const isNews = answer.event === 'elected' && reigns.get(answer.election) !== before
      if (id !== undefined || !isNews) this.#report({ ...answer, ...withRe(id) })
    } catch (error) {
      this.#refuse(error, id)
    } finally {
      this.#pending.delete(pending)
      if (this.#pending.size === 0) this.#idle?.()
    }
  }

  /**
   * The reign of an answer may have ended, and the client may know the next reign. Then the answer
   * has the next reign: epochs must not fall.
   */
  #latest(answer: NodeEvent): NodeEvent {
    const known = answer.event === 'elected' ? this.#agent.model.reigns.get(answer.election) : undefined
    return answer.event === 'elected' && known !== undefined && known.epoch > answer.epoch ? { ...answer, ...known } : answer
  }

  #leave(id: CommandId | undefined): void {
    this.#leaveId = id
    this.#agent.log.info('LEAVE_ASKED', 'asked to leave the pool')
    this.#agent.stop('command')
  }

  #cancel(id: CommandId): void {
    const waiting = [...this.#pending].filter((each) => each.id === id && !each.controller.signal.aborted)
    if (waiting.length === 0)
      throw new CommandError('INVALID_COMMAND', `cancel: no command with the id ${JSON.stringify(id)} waits for its answer`)
    for (const { controller } of waiting) controller.abort(new CommandError('CANCELLED', 'cancelled'))
  }

  #refuse(error: unknown, id?: CommandId): void {
    const re = error instanceof CommandError ? (error.re ?? id) : id
    this.#agent.log.debug('COMMAND_REFUSED', messageOf(error), { reason: codeOf(error) })
    this.#report({ event: 'error', code: codeOf(error), message: messageOf(error), ...withRe(re) })
  }
}

function problemOf(problem: 'too long' | 'not UTF-8'): CommandError {
  return problem === 'too long'
    ? new CommandError('LINE_TOO_LONG', `a line has more than ${COMMAND_LIMIT} bytes`)
    : new CommandError('MALFORMED_JSON', 'a line is not UTF-8')
}
