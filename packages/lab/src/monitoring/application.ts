/**
 * A process with one member, or with one for each of some sites. A member has 20 attributes that
 * count how often they are measured, and 20 long texts. As a consumer it counts samples.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from '@jel/jel'
import { monitor, type Monitor, type WatchOptions } from '@jel/monitor'
import { serve } from '../base/remote.ts'
import { enter, placeOf, type Entry } from '../swarm/member-process.ts'
import { Account, type Counts } from './account.ts'
import { NUMBERS, TEXTS } from './attributes.ts'

/** The state of this process. */
export interface State extends Counts {
  readonly runs: number
  readonly ranAt: number
  /** ms of processor time */
  readonly processor: number
  /** bytes */
  readonly sent: number
  readonly connections: number
  /** Bytes of samples that this member keeps for consumers which read slowly. */
  readonly held: number
}

/** Characters of a text: about as many as a value may have. */
const LONG = 1000

let pool: Pool
let watched: Monitor
let [runs, ranAt] = [0, 0]
const account = new Account()

async function begin(entry: Entry): Promise<void> {
  pool = await enter(entry)
  watched = await monitor(pool)
  const counted = (value: () => number | string) => (): number | string => {
    runs++
    ranAt = Date.now()
    return value()
  }
  for (const each of NUMBERS) watched.attribute(each, { read: counted(Math.random), ttl: 0 })
  for (const each of TEXTS) watched.attribute(each, { read: counted(() => `${runs} ${'x'.repeat(LONG)}`), ttl: 0 })
}

async function follow(options: WatchOptions): Promise<void> {
  for await (const event of watched.watch(options)) account.take(event)
}

const commands = {
  enter: async (entry: Entry): Promise<{ id: string; address: string }> => {
    await begin(entry)
    return placeOf(pool)
  },
  /** Enters with one member for each of these sites. */
  enterSites: async (entry: Entry, sites: readonly string[]): Promise<void> => {
    for (const location of sites) await begin({ ...entry, location })
  },
  members: (): number => pool.members().length,
  watch: (options: WatchOptions): void => void follow(options),
  mark: (): void => account.mark(),
  state: async (): Promise<State> => {
    const { user, system } = process.cpuUsage()
    const { sent, connections } = await pool.traffic()
    const processor = (user + system) / 1000
    return { ...account.counts, runs, ranAt, processor, sent, connections, held: watched.heldBytes }
  },
  /** Serves a value to Prometheus on `count` ports. */
  expose: async (count: number): Promise<number[]> =>
    await Promise.all(
      Array.from({ length: count }, async () => {
        const server = createServer((_, response) => response.end('value 1\n')).listen(0, '127.0.0.1')
        await once(server, 'listening')
        return (server.address() as AddressInfo).port
      }),
    ),
}

export type Commands = typeof commands

serve(commands)
