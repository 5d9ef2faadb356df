/** Processes with a member of a pool each. The module of such a process calls `serve`. */
import { joinPool, type Pool } from '@jel/jel'
import { startRemote, type Remote, type RemoteProcess } from '../base/remote.ts'
import { until } from '../base/wait.ts'
import { within, type LabHost } from '../network/host.ts'

/** Longest wait for all members to know all, ms. A guess. */
const ENTER = 30_000

/** How a member enters. */
export interface Entry {
  readonly pool: string
  readonly bootstrap: readonly string[]
  /** Default: that of loopback. */
  readonly address?: string
  readonly location?: string
}

interface Place {
  readonly id: string
  readonly address: string
}

/** The commands that all such processes have. */
interface MemberCommands {
  readonly enter: (entry: Entry) => Promise<Place>
  readonly members: () => number
}

/** Enters a pool. Call it in the process of the member. */
export async function enter({ pool, bootstrap, address = '127.0.0.1', location }: Entry): Promise<Pool> {
  const listen = [`/ip4/${address}/tcp/0`]
  return await joinPool(pool, { listen, mdns: false, bootstrap, ...(location !== undefined && { location }) })
}

export function placeOf({ self }: Pool): Place {
  return { id: self.id, address: self.addresses[0] ?? '' }
}

export type MemberProcess<Commands> = RemoteProcess<Commands> & Place

/** The processes of one pool. */
export class MemberProcesses<Commands extends MemberCommands> {
  /** The name of the pool. */
  readonly name: string
  readonly all: MemberProcess<Commands>[] = []
  readonly #module: URL

  constructor(name: string, module: URL) {
    this.name = name
    this.#module = module
  }

  async start({ host, location }: { readonly host?: LabHost; readonly location?: string } = {}): Promise<MemberProcess<Commands>> {
    const started = startRemote<Commands>(this.#module, [], host && within(host))
    const bootstrap = this.all.slice(0, 1).map(({ address }) => address)
    const entry = { pool: this.name, bootstrap, ...(host && { address: host.address }), ...(location !== undefined && { location }) }
    const member = { ...started, ...(await (started.remote as Remote<MemberCommands>).enter(entry)) }
    this.all.push(member)
    return member
  }

  /** Waits until each member knows at least `count` members. */
  async known(count = this.all.length): Promise<void> {
    const knowAll = async (): Promise<boolean> => {
      const known = this.all.map(async ({ remote }) => await (remote as Remote<MemberCommands>).members())
      return (await Promise.all(known)).every((each) => each >= count)
    }
    if (!(await until(knowAll, ENTER, 100))) throw new Error('the members did not find each other')
  }

  kill(...members: readonly MemberProcess<Commands>[]): void {
    for (const member of members) this.all.splice(this.all.indexOf(member), 1)
    for (const { child } of members) child.kill('SIGKILL')
  }

  close(): void {
    this.kill(...this.all)
  }
}
