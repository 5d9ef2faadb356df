import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
// oxlint-disable-next-line no-restricted-imports -- the adapter of a test
import {
  realTime,
  type Swarm,
  type SwarmEvent,
  type SwarmJob,
  type SwarmMember,
  type SwarmNode,
  type SwarmRecord,
  type SwarmReign,
  type SwarmSpawnOptions,
} from '@jel/conformance'
import { JelProcess, loopback, type Told } from './jel-process.ts'

/**
 * The abilities that node processes on one machine lack. The test controls the processes by
 * standard input and control sockets.
 */
export const lacks = {
  silence: 'loopback is never silent',
  partition: 'loopback is never split',
  introduce: 'mDNS is off on loopback',
  slow: 'takes minutes',
} as const

const program = join(import.meta.dirname, 'fixtures/count.js')

const unable = (what: string): Promise<never> => Promise.reject(new Error(`this swarm can't ${what}`))

/** Separate `jel join --json` processes on loopback. */
export class ProcessSwarm implements Swarm<ProcessNode> {
  readonly #pool = `conformance-${randomUUID()}`
  readonly #directory: string
  readonly #nodes: ProcessNode[] = []
  #identities = 0
  #sockets = 0

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async create(): Promise<ProcessSwarm> {
    return new ProcessSwarm(await mkdtemp(join(tmpdir(), 'jel-conformance-')))
  }

  async spawn({
    introducers = [],
    identityOf,
    location,
    tag,
    computes = false,
  }: SwarmSpawnOptions<ProcessNode> = {}): Promise<ProcessNode> {
    const identity = identityOf?.identity ?? join(this.#directory, `${this.#identities++}`)
    const control = join(this.#directory, `${this.#sockets++}.sock`)
    const worker = ['--workers', '1', '--owner', join(this.#directory, 'owner')]
    const start = computes ? ['work', this.#pool, ...worker] : ['join', this.#pool]
    const args = [...start, '--json', ...loopback, '--identity', identity, '--control', control]
    for (const { process } of introducers) args.push('--bootstrap', process.address)
    if (location !== undefined) args.push('--location', location)
    if (tag !== undefined) args.push('--tag', new TextDecoder('utf-8', { fatal: true }).decode(tag))
    const process = new JelProcess(args)
    await process.until(() => process.lines.length > 0, 'started', 20_000)
    const node = new ProcessNode(process, identity, control)
    this.#nodes.push(node)
    return node
  }

  readonly within = realTime.within
  readonly pass = realTime.pass
  readonly partition = (): Promise<void> => unable('split')
  readonly heal = (): Promise<void> => unable('split')
  readonly introduce = (): Promise<void> => unable('introduce')

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(async (node) => await node.kill()))
    await rm(this.#directory, { recursive: true })
  }
}

class ProcessNode implements SwarmNode {
  readonly id: string
  readonly identity: string
  readonly process: JelProcess
  readonly #control: string
  readonly #events: SwarmEvent[] = []
  #read = 0
  #commands = 0

  constructor(process: JelProcess, identity: string, control: string) {
    this.process = process
    this.id = process.id
    this.identity = identity
    this.#control = control
  }

  get events(): readonly SwarmEvent[] {
    for (; this.#read < this.process.lines.length; this.#read++) {
      const event = swarmEvent(JSON.parse(this.process.lines[this.#read] ?? '') as Told)
      if (event !== undefined) this.#events.push(event)
    }
    return this.#events
  }

  async members(): Promise<readonly SwarmMember[]> {
    const told = await this.#ask({ command: 'members' })
    if (told.event !== 'members') throw new Error(`expected the members, not ${told.event}`)
    return told.nodes.map(swarmMember)
  }

  async elect(election: string, { signal }: Giveup = {}): Promise<SwarmReign> {
    return await this.#reign({ command: 'elect', election }, signal)
  }

  async result(election: string, { signal }: Giveup = {}): Promise<SwarmReign> {
    return await this.#reign({ command: 'result', election }, signal)
  }

  async withdraw(election: string): Promise<void> {
    await this.#ask({ command: 'withdraw', election })
  }

  async maybeDead(id: string): Promise<void> {
    await this.#ask({ command: 'maybeDead', node: id })
  }

  async signal(name: string, ids: readonly string[]): Promise<void> {
    await this.#ask({ command: 'signal', name, nodes: ids })
  }

  async publish(name: string, value: Uint8Array, ttl: number): Promise<void> {
    await this.#ask({ command: 'publish', name, value: Buffer.from(value).toString('base64'), ttl })
  }

  async unpublish(name: string): Promise<void> {
    await this.#ask({ command: 'unpublish', name })
  }

  async records(prefix?: string): Promise<readonly SwarmRecord[]> {
    const told = await this.#ask({ command: 'records', ...(prefix !== undefined && { prefix }) })
    if (told.event !== 'records') throw new Error(`expected the records, not ${told.event}`)
    return told.records.map(swarmRecord)
  }

  async setTag(tag: Uint8Array): Promise<void> {
    await this.#ask({ command: 'tag', tag: Buffer.from(tag).toString('base64') })
  }

  async broadcast(name: string, payload: Uint8Array): Promise<void> {
    await this.#ask({ command: 'event', name, payload: Buffer.from(payload).toString('base64') })
  }

  async submit({ name, tasks, time }: SwarmJob): Promise<void> {
    const id = this.#send({ command: 'submit', file: program, function: 'count', input: { tasks, time }, name })
    // Remarks about the program come before the answer.
    await this.process.until(
      () => this.process.lines.some((line) => line.includes('"submitted"') && line.includes(`"re":"${id}"`)),
      'submitted',
    )
  }

  async jobResult(name: string): Promise<number> {
    for (;;) {
      const told = await this.#answer({ command: 'job', job: name, until: 'result' })
      if (told.event === 'done' && 'result' in told) return told.result as number
      // A newcomer learns of the pool's jobs soon after it has entered.
      if (told.event !== 'error' || told.code !== 'UNKNOWN_JOB') throw new Error(`expected a result, not ${JSON.stringify(told)}`)
      await sleep(200)
    }
  }

  async cancelJob(name: string): Promise<void> {
    await this.#ask({ command: 'job', job: name, do: 'cancel' })
  }

  async leave(): Promise<void> {
    this.process.send({ command: 'leave' })
    const status = await this.process.exited
    if (status !== 0) throw new Error(`the process ended with status ${status}: ${this.process.stderr}`)
  }

  async kill(): Promise<void> {
    this.process.child.kill('SIGKILL')
    await this.process.exited
  }

  pause(): Promise<void> {
    this.process.child.kill('SIGSTOP')
    return Promise.resolve()
  }

  resume(): Promise<void> {
    this.process.child.kill('SIGCONT')
    return Promise.resolve()
  }

  readonly silence = (): Promise<void> => unable('be silent')

  /**
   * Returns the events of a new connection to the control socket. Further events are added until
   * the test ends.
   */
  async watch(): Promise<readonly SwarmEvent[]> {
    const socket = connect(this.#control)
    const events: SwarmEvent[] = []
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.on('error', reject)
    createInterface({ input: socket }).on('line', (line) => {
      const told = JSON.parse(line) as Told
      const event = swarmEvent(told)
      if (event !== undefined) events.push(event)
      // The answer comes after the events of the present state.
      if ('re' in told) resolve()
    })
    socket.write(`${JSON.stringify({ command: 'health', id: 1 })}\n`)
    await promise
    return events
  }

  async #reign(command: object, signal?: AbortSignal): Promise<SwarmReign> {
    const told = await this.#ask(command, signal)
    if (told.event !== 'elected') throw new Error(`expected a reign, not ${told.event}`)
    return { election: told.election, epoch: told.epoch, winner: swarmMember(told.node) }
  }

  /** Waits for the answer to a command. Throws if it is an error. */
  async #ask(command: object, signal?: AbortSignal): Promise<Told> {
    const told = await this.#answer(command, signal)
    if (told.event === 'error') throw new Error(`${told.code}: ${told.message}`)
    return told
  }

  async #answer(command: object, signal?: AbortSignal): Promise<Told> {
    const id = this.#send(command)
    signal?.addEventListener('abort', () => this.process.send({ command: 'cancel', of: id }), { once: true })
    return await this.process.answer(id)
  }

  /** Returns the id of the command. */
  #send(command: object): string {
    const id = `${this.#commands++}`
    this.process.send({ ...command, id })
    return id
  }
}

interface Giveup {
  readonly signal?: AbortSignal
}

type NodeJson = Extract<Told, { event: 'started' }>['node']

function swarmMember({ id, incarnation, location, tag }: NodeJson): SwarmMember {
  return { id, incarnation, location, tag: Buffer.from(tag, 'base64') }
}

type RecordJson = Extract<Told, { event: 'records' }>['records'][number]

function swarmRecord({ name, owner, version, value }: RecordJson): SwarmRecord {
  return { name, owner, version, value: value === null ? undefined : Buffer.from(value, 'base64') }
}

function swarmEvent(told: Told): SwarmEvent | undefined {
  switch (told.event) {
    case 'joined':
    case 'left':
    case 'died':
    case 'updated':
      return { type: told.event, member: swarmMember(told.node) }
    case 'elected':
      return { type: 'elected', reign: { election: told.election, epoch: told.epoch, winner: swarmMember(told.node) } }
    case 'signal':
      return { type: 'signal', name: told.name, from: swarmMember(told.node) }
    case 'event':
      return { type: 'event', name: told.name, payload: Buffer.from(told.payload, 'base64'), from: swarmMember(told.node) }
    case 'record':
      return { type: 'record', record: swarmRecord(told) }
    default:
      return undefined
  }
}
