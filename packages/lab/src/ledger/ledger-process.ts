/** A member of a pool with a ledger, as a process of `jel join --json`. */
import { exit } from '../base/child.ts'
import { jelBin } from '../base/paths.ts'
import { Told } from '../linearizability/told.ts'
import { within as onHost, type LabHost } from '../network/host.ts'
import { ControlledProcess } from '../swarm/controlled-process.ts'
import { reignIn, type LedgerLine } from '../swarm/ledger-lines.ts'
import { startNode, type Line, type NodeProcess } from '../swarm/start-node.ts'

interface Sighting {
  readonly epoch: number
  readonly winner: string
  readonly time: number
}

export interface MemberStart {
  readonly pool: string
  /** Addresses of introducers. */
  readonly introducers: readonly string[]
  readonly args: readonly string[]
  readonly host?: LabHost | undefined
  readonly bin?: string
}

/** Warnings of each run: the pool is open, and killed members are introducers of others. */
const USUAL: ReadonlySet<string | undefined> = new Set(['LEDGER_OPEN', 'INTRODUCER_UNREACHABLE', 'INCARNATION_REPLACED'])

/** Lines of standard error, and errors that answer no command, of all members of this run. */
export const complaints: string[] = []

export class LedgerProcess extends ControlledProcess {
  readonly host: LabHost | undefined
  /** By election, the newest reign that this member has told. */
  readonly reigns = new Map<string, Sighting>()
  readonly told = new Told()
  /** By index, the time at which this member told an ordered event. */
  readonly orderedAt = new Map<number, number>()
  readonly reignTimes: number[] = []
  /** The ranks that this member has told, with their holders. */
  readonly ranks: { readonly id: string; readonly rank: number }[] = []
  /** By id, the time at which this member first told that another one has joined. */
  readonly joined = new Map<string, number>()

  constructor(process: NodeProcess, host: LabHost | undefined) {
    super(process)
    this.host = host
  }

  /** Starts a member. Resolves when it has entered. */
  static async start({ pool, introducers, args, host, bin = jelBin }: MemberStart): Promise<LedgerProcess> {
    const early: Line[] = []
    let member: LedgerProcess | undefined = undefined
    const listen = host === undefined && !args.includes('--listen') ? ['--listen', '/ip4/127.0.0.1/tcp/0'] : []
    const process = await startNode(
      {
        bin,
        pool,
        introducer: undefined,
        args: [...listen, ...introducers.flatMap((address) => ['--bootstrap', address]), ...args],
        ...(host && { within: onHost(host) }),
      },
      {
        line: (_, line) => {
          if (member === undefined) early.push(line)
          else member.note(line)
        },
        complaint: (text) => complaints.push(text),
        ended: () => member?.ends(),
      },
    )
    member = new LedgerProcess(process, host)
    for (const line of early) member.note(line)
    return member
  }

  override note(line: LedgerLine): void {
    super.note(line)
    this.told.note(line)
    const { event, index, election, node, re } = line
    const time = performance.now()
    if (event === 'error' && re === undefined && !USUAL.has(line.code))
      complaints.push(`${this.id.slice(-6)}: ${line.code} ${line.message}`)
    if (re !== undefined) return
    if (event === 'ordered' && index !== undefined) this.orderedAt.set(index, time)
    if (event === 'joined' && node !== undefined) {
      this.ranks.push({ id: node.id, rank: node.rank ?? -1 })
      if (!this.joined.has(node.id)) this.joined.set(node.id, time)
    }
    const reign = event === 'elected' ? reignIn(line) : undefined
    if (reign === undefined || election === undefined) return
    this.reigns.set(election, { ...reign, time })
    this.reignTimes.push(time)
  }

  /** Returns the state of the ledger as this member sees it; undefined if it gives no answer. */
  async ledger(timeout: number): Promise<LedgerLine | undefined> {
    return await this.ask({ command: 'ledger' }, timeout)
  }

  /** Orders an event. Returns its index. */
  async order(text: string, signal?: AbortSignal): Promise<number> {
    const { event, index } = (await this.answer(
      { command: 'order', name: 'order', payload: Buffer.from(text).toString('base64') },
      signal,
    )) as LedgerLine
    if (index === undefined) throw new Error(`expected the index of an event, not ${event}`)
    return index
  }

  async kill(): Promise<void> {
    this.send('SIGKILL')
    await exit(this.process.child)
  }
}
