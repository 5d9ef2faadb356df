/** Processes with a member, for the parts of this experiment. */
import { startRemote, type RemoteProcess } from '../base/remote.ts'
import { until } from '../base/wait.ts'
import { within, type LabHost } from '../network/host.ts'
import type { Commands } from './application.ts'

/** Longest wait for all members to know all, ms. A guess. */
const ENTER = 30_000

export interface Member extends RemoteProcess<Commands> {
  readonly id: string
  readonly address: string
}

/** Starts a process that does not enter a pool yet. */
export function startProcess(host?: LabHost): RemoteProcess<Commands> {
  return startRemote<Commands>(new URL('application.ts', import.meta.url), [], host && within(host))
}

/** The processes of one pool. They end with it. */
export class Members {
  /** The name of the pool. */
  readonly name: string
  readonly all: Member[] = []

  constructor(name: string) {
    this.name = `monitoring-${name}-${process.pid}`
  }

  async start(host?: LabHost, location?: string): Promise<Member> {
    const bootstrap = this.all.slice(0, 1).map(({ address }) => address)
    const started = startProcess(host)
    const entry = { pool: this.name, bootstrap, ...(host && { address: host.address }), ...(location !== undefined && { location }) }
    const member = { ...started, ...(await started.remote.enter(entry)) }
    this.all.push(member)
    return member
  }

  /** Starts one process with a member for each of some sites. */
  async startSites(sites: readonly string[]): Promise<RemoteProcess<Commands>> {
    const started = startProcess()
    const bootstrap = this.all.slice(0, 1).map(({ address }) => address)
    await started.remote.enterSites({ pool: this.name, bootstrap }, sites)
    return started
  }

  /** Waits until a member knows so many. */
  async known(count: number): Promise<void> {
    const [first] = this.all as [Member]
    await until(async () => (await first.remote.state()).members >= count, ENTER, 200)
  }

  kill(...members: readonly Member[]): void {
    for (const member of members) this.all.splice(this.all.indexOf(member), 1)
    for (const { child } of members) child.kill('SIGKILL')
  }

  close(): void {
    this.kill(...this.all)
  }
}
