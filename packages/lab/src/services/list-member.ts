/**
 * A process with one member. A server has a replicated list of keys, where the result of
 * an operation is the place of its key. A client writes, and keeps all that it was told.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '@jel/jel'
import { service, serviceClient, type Service, type ServiceClient } from '@jel/service'
import { serve } from '../base/remote.ts'
import { enter, placeOf, type Entry } from '../swarm/member-process.ts'

/** The pause of a client after a call, ms. */
const PAUSE = 50

/** An acknowledged operation: its key, its place, and the time of the answer, Unix ms. */
export type Answered = readonly [key: string, place: number, at: number]

/** A report about an operation that was applied again. */
export interface Report {
  readonly key: string
  readonly before: readonly unknown[]
  readonly after?: unknown
}

let pool: Pool
let client: ServiceClient
let list: Service | undefined
/** The state, as the last operation left it. */
let keys: readonly string[] = []
const answered: Answered[] = []
const reports: Report[] = []
const notices: string[] = []
const state = { isWriting: false }
let writing: Promise<void> = Promise.resolve()
let [count, failed] = [0, 0]

async function write(): Promise<void> {
  const key = `${pool.self.id.slice(-8)}-${++count}`
  try {
    answered.push([key, Number(await client.call('list', key, { key, timeout: 120_000 })), Date.now()])
  } catch (error) {
    failed++
    process.stderr.write(`a call failed: ${String(error)}\n`)
  }
}

const commands = {
  enter: async (entry: Entry): Promise<{ id: string; address: string }> => {
    pool = await enter(entry)
    client = serviceClient(pool)
    client.onReapplied(({ key, before, after }) => void reports.push({ key, before, after }))
    return placeOf(pool)
  },
  members: (): number => pool.members().length,
  serve: async (): Promise<void> => {
    list = await service(pool, 'list', {
      initial: [] as string[],
      apply: (state: string[], key: string) => {
        state.push(key)
        keys = state
        return [state, state.length]
      },
    })
    list.onNotice(({ code, message }) => void notices.push(`${code}: ${message}`))
  },
  write,
  begin: async (): Promise<void> => {
    state.isWriting = true
    writing = (async () => {
      while (state.isWriting) {
        await write()
        await sleep(PAUSE)
      }
    })()
  },
  end: async (): Promise<void> => {
    state.isWriting = false
    await writing
  },
  told: async () => ({ answered, reports, failed }),
  status: async () => {
    const { role, backups, operations } = list?.status ?? { role: 'none', backups: [], operations: 0 }
    return { role, backups: backups.length, operations, notices }
  },
  keys: async (): Promise<readonly string[]> => keys,
  /** Names the state. */
  hash: async (): Promise<string> => createHash('sha256').update(keys.join()).digest('hex'),
}

export type ListCommands = typeof commands

serve(commands)
