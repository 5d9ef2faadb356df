import { eventText } from '../events/event-text.ts'
import { jsonLine, type Answer, type NodeEvent } from '../events/events.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import type { Shell } from '../commands/command.ts'
import { commands, type Command, type CommandName } from '../commands/table.ts'
import { oneLine } from '../base/text.ts'
import { codeOf, messageOf, statusOf } from '../base/usage-error.ts'
import { ControlClient, NodeError, type NodeFlags } from './client.ts'

/** The operands and flags of all commands that ask a running node. */
export interface AskGiven extends NodeFlags {
  readonly pool: string
  readonly json?: boolean
  /** The time within which the answer must arrive, ms. */
  readonly timeout?: number
}

/** The exit status of a command that ended before its answer. */
const NO_ANSWER = 1

/**
 * Gives a command to the node that runs here, and shows its answers. Returns the exit status. With
 * `--json` a failure is an event, too, as for `jel join`.
 */
export async function ask(name: CommandName, given: AskGiven): Promise<number> {
  try {
    return await answer(name, given)
  } catch (error) {
    const event = { event: 'error', code: codeOf(error), message: messageOf(error) }
    if (given.json === true && statusOf(error) === 1) process.stdout.write(`${jsonLine(event, given.pool)}\n`)
    const { shell } = commands[name] as unknown as { readonly shell: Shell }
    throw shell.namesCode === true && error instanceof NodeError ? new NodeError(error.code, `${error.code}: ${error.message}`) : error
  }
}

async function answer(name: CommandName, given: AskGiven): Promise<number> {
  const { shell } = commands[name] as unknown as { readonly shell: Shell<NodeEvent> }
  const command = ((await shell.line?.(given as never)) ?? { command: name }) as Command
  const { pool, json, timeout } = given
  const show = async (event: Answer): Promise<void> => {
    const lines = json === true ? [jsonLine(event, pool)] : await textOf(event as NodeEvent, shell)
    for (const line of lines) process.stdout.write(`${line}\n`)
  }
  const { silence, follows = false, shows = false } = shell
  let [asked, replies] = [0, 0]
  let last: NodeEvent | undefined
  const showReply = (event: Answer): void => {
    if (event.event === 'notice') {
      process.stderr.write(`jel: ${oneLine(event.message)}\n`)
      if (json !== true) return
    }
    if (event.event === 'asked') asked = event.members
    else replies += 1
    last = event as NodeEvent
    if (event.event !== 'asked' || json === true) void show(event)
  }
  const stop = new Stop()
  stopOnSignals(stop)
  await using client = await ControlClient.connect(pool, given, shell.asksAny?.(given as never) === true ? 'any' : 'one')
  // A command may have a field for its time limit.
  const timer = timeout === undefined || 'timeout' in command ? undefined : setTimeout(() => stop.now('time'), timeout)
  const end = await Promise.race([client.ask(command, silence === undefined && !follows && !shows ? undefined : showReply), stop.reason])
  clearTimeout(timer)
  if (end === 'time') throw new NodeError('NO_ANSWER', `no answer within ${(timeout as number) / 1000} s`)
  const isStopped = typeof end === 'string'
  if (isStopped && (follows || shows)) client.cancel()
  if (follows) return 0
  if (!isStopped) await show(end)
  const isSilent = silence !== undefined && replies === 0
  if (isSilent) process.stderr.write(`jel: ${asked === 0 ? 'no member matches' : silence(given as never)}\n`)
  else if (replies < asked) process.stderr.write(`jel: ${replies} of ${asked} members answered\n`)
  return isStopped || isSilent ? NO_ANSWER : (shell.status?.(shows && last !== undefined ? last : end) ?? 0)
}

/** Returns the lines of an answer for a person. A mere success has no lines. */
async function textOf(event: NodeEvent, shell: Shell<NodeEvent>): Promise<string[]> {
  if (event.event === 'done' || event.event === 'stopped') return []
  return (await shell.text?.(event, Date.now())) ?? [eventText(event)]
}
