import { readPoolKey } from '@jel/jel'
import type { Command } from '../agent/commands.ts'
import type { Answer, NodeEvent } from '../agent/events.ts'
import { jsonLine } from '../agent/json-line.ts'
import type { MemberFilter } from '../agent/roster.ts'
import { Stop, stopOnSignals } from '../base/stop.ts'
import { UsageError } from '../base/usage-error.ts'
import { ControlClient, type NodeFlags } from './client.ts'
import { wordsOf } from './words.ts'

/** The flags of all commands that ask a running node. */
export interface AskFlags extends NodeFlags {
  readonly json?: boolean
  /** The time within which the answer must arrive, ms. */
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

/** Returns status 1 where the node reaches no other member, or only a minority. */
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

/** Lists or changes keys. They travel over the control socket, which nobody else can read. */
export async function keys(pool: string, what: KeysCommand, key: string | undefined, flags: AskFlags): Promise<number> {
  if (what === 'list') {
    if (key !== undefined) throw new UsageError('keys list: takes no key')
    return await ask(pool, flags, { command: 'keys' })
  }
  if (key === undefined)
    throw new UsageError(`keys ${what}: name the file of the key${what === 'install' ? '' : ', or give its id as the list has it'}`)
  const isId = what !== 'install' && /^[0-9a-f]{16}$/u.test(key)
  return await ask(pool, flags, { command: 'keys', do: what, key: isId ? key : readPoolKey(key).toString() })
}

export async function tag(pool: string, text: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'tag', tag: base64(text) })
}

export async function event(pool: string, name: string, payload: string | undefined, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'event', name, ...(payload !== undefined && { payload: base64(payload) }) })
}

/** The flags of `jel query`. `timeout`: the time that members have for an answer, ms. */
export interface QueryFlags extends AskFlags {
  readonly location?: string
  readonly tag?: string
}

/** Sends a query, and shows each answer when it arrives. */
export async function query(pool: string, name: string, payload: string | undefined, flags: QueryFlags): Promise<number> {
  const { location, tag: expression, timeout, ...rest } = flags
  const command: Command = {
    command: 'query',
    name,
    ...(payload !== undefined && { payload: base64(payload) }),
    ...(timeout !== undefined && { timeout }),
    ...(location !== undefined && { location }),
    ...(expression !== undefined && { tag: expression }),
  }
  let replies = 0
  const status = await ask(
    pool,
    rest,
    command,
    () => (replies === 0 ? NO_ANSWER : 0),
    (reply) => {
      replies += 1
      show(reply, pool, flags)
    },
  )
  if (replies === 0)
    process.stderr.write(`jel: no member answered: those do whose program answers queries of the name ${JSON.stringify(name)}\n`)
  return status
}

export async function terminate(pool: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'terminate' })
}

/** Makes the node leave. Returns after the leave. */
export async function leave(pool: string, flags: AskFlags): Promise<number> {
  return await ask(pool, flags, { command: 'leave' })
}

/** Gives one command to the node that runs here, and shows its answer. Returns the exit status. */
async function ask(
  pool: string,
  flags: AskFlags,
  command: Command,
  statusOf: (answer: NodeEvent) => number = () => 0,
  tell?: (event: Answer) => void,
): Promise<number> {
  const stop = new Stop()
  stopOnSignals(stop)
  await using client = await ControlClient.connect(pool, flags)
  const timer = flags.timeout === undefined ? undefined : setTimeout(() => stop.now('time'), flags.timeout)
  const answer = await Promise.race([client.ask(command, tell), stop.reason])
  clearTimeout(timer)
  if (answer === 'time') throw new Error(`no answer within ${(flags.timeout as number) / 1000} s`)
  if (typeof answer === 'string') return NO_ANSWER
  show(answer, pool, flags)
  return statusOf(answer)
}

function show(event: Answer, pool: string, { json }: AskFlags): void {
  const lines = json === true ? [jsonLine(event, pool)] : wordsOf(event as NodeEvent, Date.now())
  for (const line of lines) process.stdout.write(`${line}\n`)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
