import { readPoolKey } from '@jel/jel'
import type { Command } from '../agent/commands.ts'
import type { NodeEvent } from '../agent/events.ts'
import { jsonLine } from '../agent/json-line.ts'
import type { MemberFilter } from '../agent/roster.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import { UsageError } from '../base/usage-error.ts'
import { ControlClient, type NodeFlags } from './client.ts'
import { wordsOf } from './words.ts'

/** The flags of all commands that ask a running node. */
export interface AskFlags extends NodeFlags {
  readonly json?: boolean
  /** How long the answer may take, ms. */
  readonly timeout?: number
}

/** The exit status of a command that ended before its answer. */
const NO_ANSWER = 1

export interface ElectFlags extends AskFlags {
  readonly result?: boolean
  readonly withdraw?: boolean
}

export async function members(pool: string, flags: AskFlags & MemberFilter): Promise<number> {
  const { location, tag, state } = flags
  return await ask(pool, flags, {
    command: 'members',
    ...(location !== undefined && { location }),
    ...(tag !== undefined && { tag }),
    ...(state !== undefined && { state }),
  })
}

export async function status(pool: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'status' })
}

/** Status 1: the node reaches no other member, or only a minority. */
export async function health(pool: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'health' }, (answer) =>
    answer.event === 'health' && (answer.minority || (answer.alone && answer.members > 1)) ? 1 : 0,
  )
}

export async function elect(pool: string, election: string, flags: ElectFlags): Promise<number> {
  if (flags.result === true && flags.withdraw === true) throw new UsageError('--result and --withdraw: give one of them')
  const command = flags.withdraw === true ? 'withdraw' : flags.result === true ? 'result' : 'elect'
  return await ask(pool, flags, { command, election })
}

export async function signal(pool: string, name: string, nodes: readonly string[], flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'signal', name, nodes })
}

export async function maybeDead(pool: string, node: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'maybeDead', node })
}

export type KeysCommand = 'list' | 'install' | 'use' | 'remove'

/** Keys travel over the control socket, which nobody else can read. */
export async function keys(pool: string, what: KeysCommand, key: string | undefined, flags: AskFlags): Promise<number> {
  if (what === 'list') {
    if (key !== undefined) throw new UsageError('keys list: takes no key')
    return await ask(pool, flags, { command: 'keys' })
  }
  if (key === undefined) throw new UsageError(`keys ${what}: ${what === 'install' ? 'name the file of the key' : 'give the id of the key'}`)
  return await ask(pool, flags, { command: 'keys', do: what, key: what === 'install' ? readPoolKey(key).toString() : key })
}

/** Ends when the node has left. */
export async function leave(pool: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'leave' })
}

/** Gives one command to the node that runs here, and shows its answer. Returns the exit status. */
async function ask(pool: string, flags: AskFlags, command: Command, statusOf: (answer: NodeEvent) => number = () => 0): Promise<number> {
  const stop = new Stop()
  stopOnSignals(stop)
  await using client = await ControlClient.connect(pool, flags)
  const timer = flags.timeout === undefined ? undefined : setTimeout(() => stop.now('time'), flags.timeout)
  const answer = await Promise.race([client.ask(command), stop.reason])
  clearTimeout(timer)
  if (answer === 'time') throw new Error(`no answer within ${(flags.timeout as number) / 1000} s`)
  if (typeof answer === 'string') return NO_ANSWER
  const lines = flags.json === true ? [jsonLine(answer, pool)] : wordsOf(answer, Date.now())
  for (const line of lines) process.stdout.write(`${line}\n`)
  return statusOf(answer)
}
