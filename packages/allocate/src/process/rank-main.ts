/**
 * The process of a rank. Do not import it: `processProgram` starts it.
 *
 * @module
 */
import { pathToFileURL } from 'node:url'
import { Collectives, COLLECTIVE_TAG } from '../group/collectives.ts'
import type { Call, FromRank, GroupState, ToRank } from './messages.ts'

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

/** The default export of a program's file. */
type Program = (group: RankGroup, input: unknown) => unknown

const waiting = new Map<number, Waiting>()
let calls = 0

function tell(message: FromRank): void {
  process.send?.(message)
}

async function ask<Value>(epoch: number, call: Call): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>()
  const id = ++calls
  waiting.set(id, { resolve, reject })
  tell({ type: 'call', id, epoch, call })
  return await promise
}

/** The group as the program in this process sees it: the `Group` of @jel/allocate, over a pipe. */
class RankGroup extends Collectives {
  readonly id: string
  readonly epoch: number
  readonly rank: number
  readonly members: readonly string[]

  constructor({ id, epoch, rank, members, sites }: GroupState) {
    super(rank, sites, {
      send: async (to, bytes, tag) => await ask(epoch, { name: 'send', to, tag, bytes }),
      receive: async (from, tag) => await ask(epoch, { name: 'receive', from, tag }),
      check: async () => await ask(epoch, { name: 'check' }),
    })
    this.id = id
    this.epoch = epoch
    this.rank = rank
    this.members = members
  }

  get size(): number {
    return this.members.length
  }

  async send(to: number, bytes: Uint8Array, tag = 0): Promise<void> {
    if (!(Number.isSafeInteger(tag) && tag >= 0 && tag < COLLECTIVE_TAG)) throw new RangeError('tag: must be a whole number below 2^31')
    await ask(this.epoch, { name: 'send', to, tag, bytes })
  }

  async receive({ from, tag }: { readonly from?: number; readonly tag?: number } = {}): Promise<unknown> {
    return await ask(this.epoch, { name: 'receive', from, tag })
  }

  revoke(): void {
    // The group may have ended.
    ask(this.epoch, { name: 'revoke' }).catch(() => {})
  }

  async shrink(): Promise<RankGroup> {
    return new RankGroup(await ask<GroupState>(this.epoch, { name: 'shrink' }))
  }

  async regroup(): Promise<RankGroup> {
    return new RankGroup(await ask<GroupState>(this.epoch, { name: 'regroup' }))
  }
}

async function start({ file, input, group }: Extract<ToRank, { type: 'start' }>): Promise<void> {
  try {
    const { default: program } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    // A module without a program runs until nothing is left to do.
    if (typeof program === 'function') {
      const value = await (program as Program)(new RankGroup(group), input)
      tell({ type: 'done', value: JSON.parse(JSON.stringify(value ?? null)) })
    }
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    tell({ type: 'failed', message: (error instanceof Error ? error.message : String(error)).slice(0, 4096) })
  }
  // The process ends once the program has nothing left to do.
  process.channel?.unref()
}

process.on('message', (message: ToRank) => {
  if (message.type === 'start') void start(message)
  else {
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === 'answer') call?.resolve(message.value as never)
    else call?.reject(Object.assign(new Error(message.message), { code: message.code }))
  }
})
// The member is gone, or has ended the connection.
process.on('disconnect', () => process.exit(1))
tell({ type: 'ready' })
