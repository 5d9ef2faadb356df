/** A node process of a swarm: its operations, and the view and the events that it reports. */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SwarmEvent, SwarmJob, SwarmMember, SwarmNode, SwarmRecord, SwarmReign } from '@jel/conformance'
import { exit } from '../base/child.ts'
import { inCheckout } from '../base/paths.ts'
import type { LabHost } from '../network/host.ts'
import { ControlledProcess } from './controlled-process.ts'
import { eventOf, memberOf, recordOf, reignOf } from './line-events.ts'
import type { Lifetime } from './measured-swarm.ts'
import type { Line, NodeProcess } from './start-node.ts'

/** The program of the jobs of {@link ProcessNode.submit}. */
const PROGRAM = inCheckout('packages/lab/src/swarm/count-program.ts')
/** Interval between two questions for a job that the node does not know yet, ms. */
const ASK_AGAIN = 200

export interface Reign {
  readonly winner: string
  readonly incarnation: number
  readonly epoch: number
  /** Time of the node's report, Unix ms by the node's own clock. */
  readonly time: number
}

interface Abortable {
  readonly signal?: AbortSignal
}

/** The place of a node process. */
export interface ProcessPlace {
  /** The host of the process. Default: it is on loopback. */
  readonly host?: LabHost | undefined
  /** Its identity file and its control socket, for a node that the swarm has spawned. */
  readonly identity?: string | undefined
  readonly control?: string | undefined
  /** Takes the host off the network. */
  readonly silence: () => Promise<void>
}

export class ProcessNode extends ControlledProcess implements SwarmNode, Lifetime {
  /** From 0, in the order of the starts. */
  readonly index: number
  readonly place: ProcessPlace
  /** The members that the node reports: ids and addresses. */
  readonly view = new Map<string, readonly string[]>()
  readonly reigns = new Map<string, Reign>()
  readonly events: SwarmEvent[] = []
  readonly silence: () => Promise<void>

  constructor(index: number, place: ProcessPlace, process: NodeProcess) {
    super(process)
    this.index = index
    this.place = place
    this.silence = place.silence
  }

  get called(): number {
    return this.process.spawned
  }

  get entered(): number {
    return this.process.entered
  }

  override note(line: Line): void {
    super.note(line)
    const event = eventOf(line)
    if (event !== undefined) this.events.push(event)
    const { node, election, epoch = 0, time } = line
    if (node === undefined) return
    if (line.event === 'joined' || line.event === 'updated') this.view.set(node.id, node.addresses)
    else if (line.event === 'left' || line.event === 'died') this.view.delete(node.id)
    else if (line.event === 'elected' && election !== undefined)
      this.reigns.set(election, { winner: node.id, incarnation: node.incarnation, epoch, time })
  }

  async members(): Promise<readonly SwarmMember[]> {
    return ((await this.answer({ command: 'members' })).nodes ?? []).map(memberOf)
  }

  async elect(election: string, { signal }: Abortable = {}): Promise<SwarmReign> {
    return reignOf(await this.answer({ command: 'elect', election }, signal))
  }

  async result(election: string, { signal }: Abortable = {}): Promise<SwarmReign> {
    return reignOf(await this.answer({ command: 'result', election }, signal))
  }

  async withdraw(election: string): Promise<void> {
    await this.answer({ command: 'withdraw', election })
  }

  async maybeDead(id: string): Promise<void> {
    await this.answer({ command: 'maybeDead', node: id })
  }

  async signal(name: string, ids: readonly string[]): Promise<void> {
    await this.answer({ command: 'signal', name, nodes: ids })
  }

  async publish(name: string, value: Uint8Array, ttl: number): Promise<void> {
    await this.answer({ command: 'publish', name, value: Buffer.from(value).toString('base64'), ttl })
  }

  async unpublish(name: string): Promise<void> {
    await this.answer({ command: 'unpublish', name })
  }

  async records(prefix?: string): Promise<readonly SwarmRecord[]> {
    const { records = [] } = await this.answer({ command: 'records', ...(prefix !== undefined && { prefix }) })
    return records.map(recordOf)
  }

  async setTag(tag: Uint8Array): Promise<void> {
    await this.answer({ command: 'tag', tag: Buffer.from(tag).toString('base64') })
  }

  async broadcast(name: string, payload: Uint8Array): Promise<void> {
    await this.answer({ command: 'event', name, payload: Buffer.from(payload).toString('base64') })
  }

  async submit({ name, tasks, time }: SwarmJob): Promise<void> {
    await this.answer({ command: 'submit', file: PROGRAM, function: 'count', input: { tasks, time }, name })
  }

  async jobResult(name: string): Promise<number> {
    for (;;) {
      const line = await this.ask({ command: 'job', job: name, until: 'result' })
      if (line?.event === 'done' && typeof line.result === 'number') return line.result
      // A newcomer learns of the pool's jobs soon after it has entered.
      if (line?.code !== 'UNKNOWN_JOB') throw new Error(`expected a result, not ${JSON.stringify(line)}`)
      await sleep(ASK_AGAIN)
    }
  }

  async cancelJob(name: string): Promise<void> {
    await this.answer({ command: 'job', job: name, do: 'cancel' })
  }

  async leave(): Promise<void> {
    this.send('SIGTERM')
    const how = await exit(this.process.child)
    if (how !== 0) throw new Error(`the process of ${this.id} ended with ${how}`)
  }

  async kill(): Promise<void> {
    this.send('SIGKILL')
    await exit(this.process.child)
  }

  async pause(): Promise<void> {
    this.send('SIGSTOP')
  }

  async resume(): Promise<void> {
    this.send('SIGCONT')
  }

  /** Returns the events that a new connection to the control socket gets. */
  async watch(): Promise<readonly SwarmEvent[]> {
    const socket = connect(this.place.control ?? '')
    const events: SwarmEvent[] = []
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.on('error', reject)
    createInterface({ input: socket }).on('line', (text) => {
      const line = JSON.parse(text) as Line
      const event = eventOf(line)
      if (event !== undefined) events.push(event)
      // The answer comes after the events of the present state.
      if (line.re !== undefined) resolve()
    })
    socket.write(`${JSON.stringify({ command: 'health', id: 1 })}\n`)
    await promise
    return events
  }
}
