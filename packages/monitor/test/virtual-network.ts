/**
 * Members of a pool that share a process, with streams in memory. The code of monitoring runs on
 * them as on real members, also a thousand of them, and on a virtual clock. Streams take no time.
 */
import type { Member, Pool, Stream, StreamHandler } from '@jel/jel'
import { monitor, type Monitor } from '../src/index.ts'

/** Members know of a death or a cut after this time, ms: about as long as real ones. */
const DETECTION = 300
/** Members that were cut from each other know each other again after this time, ms. */
const RECOVERY = 1000
/** Bytes that a stream takes before its reader has read some: those of yamux. */
const WINDOW = 262_144

type Piece = Uint8Array | { subarray(): Uint8Array }

/** One end of a stream: as much of libp2p's interface as frames need. */
class VirtualStream extends EventTarget {
  readonly owner: VirtualMember
  readonly protocol: string
  other!: VirtualStream
  status = 'open'
  writeStatus = 'writable'
  remoteWriteStatus = 'writable'
  writableNeedsDrain = false
  #received: Uint8Array[] = []
  #bytes = 0
  #error: Error | undefined
  #wake: (() => void) | undefined

  constructor(owner: VirtualMember, protocol: string) {
    super()
    this.owner = owner
    this.protocol = protocol
  }

  send(piece: Piece): boolean {
    this.writableNeedsDrain = this.other.take(piece.subarray()) > WINDOW
    return !this.writableNeedsDrain
  }

  /** Returns the number of unread bytes. */
  take(bytes: Uint8Array): number {
    this.owner.received.messages++
    this.owner.received.bytes += bytes.length
    this.#received.push(bytes)
    this.wake()
    return (this.#bytes += bytes.length)
  }

  wake(): void {
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error
      const next = this.owner.reads(this.other.owner) ? this.#received.shift() : undefined
      if (next !== undefined) {
        this.#bytes -= next.length
        if (this.#bytes === 0 && this.other.writableNeedsDrain) this.other.drained()
        yield next
      } else if (this.remoteWriteStatus !== 'writable') return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  drained(): void {
    this.writableNeedsDrain = false
    this.dispatchEvent(new Event('drain'))
  }

  close(): void {
    this.writeStatus = 'closed'
    this.other.remoteWriteStatus = 'closed'
    this.other.wake()
    if (this.other.writeStatus !== 'writable') for (const end of [this, this.other]) end.dispatchEvent(new Event('close'))
  }

  abort(error: Error): void {
    for (const end of [this, this.other]) end.#end(error)
  }

  #end(error: Error): void {
    if (this.status !== 'open') return
    this.status = 'aborted'
    this.writeStatus = 'closed'
    this.remoteWriteStatus = 'closed'
    this.#error = error
    this.#received = []
    this.wake()
    this.dispatchEvent(new Event('close'))
  }
}

/** A member: as much of a pool as monitoring needs. */
export class VirtualMember extends EventTarget {
  readonly self: Member
  readonly closed = new Promise<never>(() => {})
  /** Streams to and from other members that are open. */
  readonly streams = new Set<VirtualStream>()
  /** Pieces and bytes that came from other members so far. */
  readonly received = { messages: 0, bytes: 0 }
  readonly handlers = new Map<string, StreamHandler>()
  /** Members that this one takes for dead. */
  readonly dead = new Set<string>()
  side = 0
  isStopped = false
  monitor!: Monitor
  readonly #network: VirtualNetwork

  constructor(network: VirtualNetwork, id: string, location: string) {
    super()
    this.#network = network
    this.self = { id, location, constants: new Map(), addresses: [] } as unknown as Member
  }

  members(): Member[] {
    return this.#network.members.filter(({ self }) => !this.dead.has(self.id)).map(({ self }) => self)
  }

  /** Whether packets of another member arrive, and this one looks at them. */
  reads(other: VirtualMember): boolean {
    return !this.isStopped && this.side === other.side
  }

  async handle(protocol: string, handler: StreamHandler): Promise<void> {
    await Promise.resolve(this.handlers.set(protocol, handler))
  }

  async setConstant(): Promise<void> {
    await Promise.reject(new Error('virtual members state no constants'))
  }

  async open(id: string, protocol: string): Promise<Stream> {
    const other = this.#network.members.find(({ self }) => self.id === id)
    const handler = other?.handlers.get(protocol)
    await Promise.resolve()
    if (other === undefined || handler === undefined || other.side !== this.side || other.dead.has(this.self.id))
      throw Object.assign(new Error(`${id} can't be reached`), { code: 'OPEN_FAILED' })
    const [near, far] = [new VirtualStream(this, protocol), new VirtualStream(other, protocol)]
    for (const [end, opposite] of [
      [near, far],
      [far, near],
    ] as const) {
      end.other = opposite
      end.owner.streams.add(end)
      end.addEventListener('close', () => end.owner.streams.delete(end))
    }
    void handler(far as unknown as Stream, this.self.id)
    return near as unknown as Stream
  }

  /** Takes a member for dead, or knows it again. */
  learn(type: 'joined' | 'died', { self }: VirtualMember): void {
    if (type === 'joined' ? !this.dead.delete(self.id) : this.dead.has(self.id)) return
    if (type === 'died') this.dead.add(self.id)
    for (const stream of this.streams) if (stream.other.owner.self === self) stream.abort(new Error('the member is gone'))
    this.dispatchEvent(new CustomEvent(type, { detail: self }))
  }
}

export class VirtualNetwork {
  readonly members: VirtualMember[] = []

  /** Adds a member. All others know it at once. */
  async join(location: string): Promise<VirtualMember> {
    const member = new VirtualMember(this, `m${this.members.length}`, location)
    this.members.push(member)
    member.monitor = await monitor(member as unknown as Pool)
    for (const other of this.members) if (other !== member) other.dispatchEvent(new CustomEvent('joined', { detail: member.self }))
    return member
  }

  /** Stops a member as SIGSTOP does: it reads nothing. */
  stop(member: VirtualMember): void {
    member.isStopped = true
  }

  go(member: VirtualMember): void {
    member.isStopped = false
    for (const stream of member.streams) stream.wake()
  }

  /** Cuts these members from all others. */
  cut(side: readonly VirtualMember[]): void {
    for (const member of side) member.side = 1
    setTimeout(() => this.#pairs((one, other) => one.side !== other.side && one.learn('died', other)), DETECTION)
  }

  heal(): void {
    for (const member of this.members) member.side = 0
    setTimeout(() => this.#pairs((one, other) => one.learn('joined', other)), RECOVERY)
  }

  /** Kills a member without a word. Its host closes its streams. */
  kill(member: VirtualMember): void {
    this.members.splice(this.members.indexOf(member), 1)
    for (const stream of member.streams) stream.abort(new Error('the process is gone'))
    setTimeout(() => {
      for (const other of this.members) other.learn('died', member)
    }, DETECTION)
  }

  #pairs(act: (one: VirtualMember, other: VirtualMember) => void): void {
    for (const one of this.members) for (const other of this.members) if (one !== other) act(one, other)
  }
}
