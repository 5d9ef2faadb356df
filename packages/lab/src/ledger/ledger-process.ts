/** A member of a pool with a ledger, as a process of `jel join --json`. */
import { exit } from '../base/child.ts'
import { jelBin } from '../base/paths.ts'
import { within as onHost, type LabHost } from '../network/host.ts'
import { ControlledProcess } from '../swarm/controlled-process.ts'
import { REIGN, type Entry } from './judge.ts'
import { startNode, type Line, type NodeProcess } from '../swarm/start-node.ts'

/** The fields of lines about the ledger. */
export interface LedgerLine extends Line {
  readonly index?: number
  readonly state?: string
  readonly term?: number
  /** The id of the leader. */
  readonly leader?: string | null
  readonly voters?: readonly { readonly id: string; readonly reachable: boolean }[]
}

/** An entry that all members tell, in the same place: an ordered event, or a reign. */
export interface Placed extends Entry {
  /** Time at which the line was read, by `performance.now()`. */
  readonly time: number
}

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
  readonly placed: Placed[] = []
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
    const { event, index, epoch, election, node, name, payload = '', re } = line
    const time = performance.now()
    if (event === 'error' && re === undefined && !USUAL.has(line.code))
      complaints.push(`${this.id.slice(-6)}: ${line.code} ${line.message}`)
    if (re !== undefined) return
    if (event === 'ordered' && index !== undefined)
      this.placed.push({ index, text: `${name} ${Buffer.from(payload, 'base64').toString()}`, time })
    if (event === 'joined' && node !== undefined) {
      this.ranks.push({ id: node.id, rank: node.rank ?? -1 })
      if (!this.joined.has(node.id)) this.joined.set(node.id, time)
    }
    if (event !== 'elected' || election === undefined || epoch === undefined || node === undefined) return
    this.reigns.set(election, { epoch, winner: node.id, time })
    this.placed.push({ index: epoch, text: `${election}${REIGN}${node.id}`, time })
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
