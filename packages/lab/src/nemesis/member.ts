/** A member of a run: its host, its disk, and the process that it has at present. */
import { mkdirSync } from 'node:fs'
import { exit } from '../base/child.ts'
import type { LabHost } from '../network/host.ts'
import { run } from '../network/tools.ts'
import type { ControlledProcess } from '../swarm/controlled-process.ts'
import type { Client } from './client.ts'
import type { LedgerLine } from '../swarm/ledger-lines.ts'

/** Space of a member's disk: three times that of a ledger (docs of the ledger). A guess. */
const DISK = '48m'
/** Longest wait for the answer to a cancelled command, ms. */
const CANCELLED = 500

/** A process that runs, and its client. */
export interface Running {
  readonly process: ControlledProcess
  readonly client: Client
  readonly stop: AbortController
}

export class Member {
  readonly name: string
  readonly host: LabHost
  /** Its own small disk, if it has an identity file. */
  readonly disk: string | undefined
  /** The file with the clock of its process. */
  readonly clock: string
  now: Running | undefined
  /** The client of its last process, and the time at which that ended. */
  last: { readonly client: Client; readonly at: number } | undefined
  /** The time at which its last process was killed. It has ended a moment later. */
  killedAt: number | undefined
  starts = 0
  /** Why it did not start the last time. */
  complaint = ''
  /** True while a fault may make the process end by itself. */
  mayEnd = false

  constructor(number: number, host: LabHost, folder: string, hasFile: boolean) {
    this.name = `m${number}`
    this.host = host
    this.clock = `${folder}/${this.name}.clock`
    if (!hasFile) return
    this.disk = `${folder}/${this.name}`
    mkdirSync(this.disk, { recursive: true })
    run('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', this.disk])
  }

  get identity(): string | undefined {
    return this.disk === undefined ? undefined : `${this.disk}/identity`
  }

  /** The file of the ledger, beside the identity. */
  get ledger(): string | undefined {
    return this.identity === undefined ? undefined : `${this.identity}.ledger`
  }

  get id(): string | undefined {
    return this.now?.process.id
  }

  /** Asks the process. Cancels a command that takes longer than `timeout` ms. */
  async ask(command: Readonly<Record<string, unknown>>, timeout: number): Promise<LedgerLine | undefined> {
    return this.now === undefined ? undefined : await askProcess(this.now.process, command, timeout)
  }

  /** Kills the process, and waits for its end. */
  async kill(): Promise<void> {
    const { now } = this
    if (now === undefined) return
    now.stop.abort()
    this.killedAt = performance.now()
    now.process.send('SIGKILL')
    await exit(now.process.process.child)
  }
}

export async function askProcess(
  process: ControlledProcess,
  command: Readonly<Record<string, unknown>>,
  timeout: number,
): Promise<LedgerLine | undefined> {
  return await process.ask(command, timeout + CANCELLED, AbortSignal.timeout(timeout))
}
