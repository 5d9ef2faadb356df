/**
 * A process with one member, or with one for each of some sites. A member has 20 attributes that
 * count how often they are measured, and 20 long texts. As a consumer it counts samples.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { joinPool, type Pool } from '@jel/jel'
import { monitor, type Monitor, type WatchOptions } from '@jel/monitor'
import { serve } from '../base/remote.ts'
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
  readonly members: number
}

/** How a member enters. */
export interface Entry {
  readonly pool: string
  readonly bootstrap: readonly string[]
  /** Default: that of loopback. */
  readonly address?: string
  readonly location?: string
}

/** Characters of a text: about as many as a value may have. */
const LONG = 1000

let pool: Pool
let watched: Monitor
let [runs, ranAt] = [0, 0]
const account = new Account()

async function enter({ pool: name, bootstrap, address = '127.0.0.1', location }: Entry): Promise<[Pool, Monitor]> {
  const entered = await joinPool(name, {
    listen: [`/ip4/${address}/tcp/0`],
    mdns: false,
    bootstrap,
    ...(location !== undefined && { location }),
  })
  const monitored = await monitor(entered)
  const counted = (value: () => number | string) => (): number | string => {
    runs++
    ranAt = Date.now()
    return value()
  }
  for (const each of NUMBERS) monitored.attribute(each, { read: counted(Math.random), ttl: 0 })
  for (const each of TEXTS) monitored.attribute(each, { read: counted(() => `${runs} ${'x'.repeat(LONG)}`), ttl: 0 })
  return [entered, monitored]
}

async function follow(options: WatchOptions): Promise<void> {
  for await (const event of watched.watch(options)) account.take(event)
}

const commands = {
  enter: async (entry: Entry): Promise<{ id: string; address: string }> => {
    ;[pool, watched] = await enter(entry)
    return { id: pool.self.id, address: pool.self.addresses[0] ?? '' }
  },
  /** Enters with one member for each of these sites. */
  enterSites: async (entry: Entry, sites: readonly string[]): Promise<void> => {
    for (const location of sites) [pool, watched] = await enter({ ...entry, location })
  },
  watch: (options: WatchOptions): void => void follow(options),
  mark: (): void => account.mark(),
  state: async (): Promise<State> => {
    const { user, system } = process.cpuUsage()
    const { sent, connections } = await pool.traffic()
    const processor = (user + system) / 1000
    const members = pool.members().length
    return { ...account.counts, runs, ranAt, processor, sent, connections, held: watched.heldBytes, members }
  },
  /** Serves a value to Prometheus on so many ports. */
  expose: async (count: number): Promise<number[]> =>
    await Promise.all(
      Array.from({ length: count }, async () => {
        const server = createServer((_, response) => response.end('value 1\n')).listen(0, '127.0.0.1')
        await new Promise((resolve) => server.once('listening', resolve))
        return (server.address() as AddressInfo).port
      }),
    ),
}

export type Commands = typeof commands

serve(commands)
