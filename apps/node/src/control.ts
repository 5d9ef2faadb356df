import { fstatSync } from 'node:fs'
import type { Pool } from '@jel/jel'
import { CommandError, parseCommand, type Command } from './commands.ts'
import type { ElectedLog } from './elected-log.ts'
import { nodeJson, recordJson, withRe, type CommandId, type NodeEvent } from './events.ts'
import { readLines } from './lines.ts'
import type { Stop } from './stop.ts'
import { codeOf, messageOf } from './usage-error.ts'

/** The longest line taken from standard input, in bytes. A guess: a signal to 10,000 members needs half of it. */
const LINE_LIMIT = 1024 * 1024

/**
 * Whether the end of standard input means that whoever started this node is done with it: so for a pipe, a socket or a file. A
 * terminal and /dev/null (a node in the background, under a service manager) say nothing by being at their end.
 */
export function inputEnds(): boolean {
  try {
    const status = fstatSync(0)
    return status.isFIFO() || status.isSocket() || status.isFile()
  } catch {
    return false
  }
}

/** Waits for the end of standard input without taking commands from it. */
export async function waitForEnd(input: NodeJS.ReadStream, stop: Stop): Promise<void> {
  await drain(input)
  stop.now('input ended')
}

/** Carries out the commands on standard input, then, if its end means anything, stops. */
export class Control {
  readonly #pool: Pool
  readonly #report: (event: NodeEvent) => void
  readonly #elected: ElectedLog
  readonly #stop: Stop
  /** The id of the `leave` command, if that is what stopped the node. */
  leaveId: CommandId | undefined

  constructor(pool: Pool, report: (event: NodeEvent) => void, elected: ElectedLog, stop: Stop) {
    this.#pool = pool
    this.#report = report
    this.#elected = elected
    this.#stop = stop
  }

  async follow(input: AsyncIterable<Uint8Array>, endStops: boolean): Promise<void> {
    try {
      for await (const line of readLines(input, LINE_LIMIT)) {
        if (this.#stop.signal.aborted) return
        if ('problem' in line) this.#refuse(problemOf(line.problem))
        else if (line.text.trim() !== '') this.#take(line.text)
      }
    } catch {
      // A read error is an end like any other.
    }
    if (endStops) this.#stop.now('input ended')
  }

  #take(text: string): void {
    let command: Command
    try {
      command = parseCommand(text)
    } catch (error) {
      this.#refuse(error)
      return
    }
    this.#carryOut(command).catch((error: unknown) => this.#refuse(error, command.id))
  }

  async #carryOut(command: Command): Promise<void> {
    const { id } = command
    switch (command.command) {
      case 'members':
        this.#report({ event: 'members', nodes: this.#pool.members().map(nodeJson), ...withRe(id) })
        return
      case 'elect':
      case 'result': {
        const before = this.#elected.latest(command.election)
        const reign = await (command.command === 'elect' ? this.#pool.elect(command.election) : this.#pool.electionResult(command.election))
        this.#elected.answer(reign, id, before)
        return
      }
      case 'maybeDead':
        this.#pool.maybeDead(command.node)
        this.#done(id)
        return
      case 'signal':
        await this.#pool.signal(command.name, command.nodes)
        this.#done(id)
        return
      case 'publish':
        await this.#pool.publish(command.name, Buffer.from(command.value, 'base64'), { ttl: command.ttl })
        this.#done(id)
        return
      case 'unpublish':
        await this.#pool.unpublish(command.name)
        this.#done(id)
        return
      case 'records':
        this.#report({ event: 'records', records: this.#pool.records(command.prefix).map(recordJson), ...withRe(id) })
        return
      case 'leave':
        this.leaveId = id
        this.#stop.now('command')
    }
  }

  /** Commands without a result of their own are confirmed only to those who can match the answer. */
  #done(id: CommandId | undefined): void {
    if (id !== undefined) this.#report({ event: 'done', re: id })
  }

  #refuse(error: unknown, id?: CommandId): void {
    const re = error instanceof CommandError ? error.re : id
    this.#report({ event: 'error', code: codeOf(error), message: messageOf(error), ...withRe(re) })
  }
}

function problemOf(problem: 'too long' | 'not UTF-8'): CommandError {
  return problem === 'too long'
    ? new CommandError('LINE_TOO_LONG', `a line of standard input has more than ${LINE_LIMIT} bytes`)
    : new CommandError('MALFORMED_JSON', 'a line of standard input is not UTF-8')
}

async function drain(input: NodeJS.ReadStream): Promise<void> {
  try {
    for await (const _ of input) continue
  } catch {
    // A read error is an end like any other.
  }
}
