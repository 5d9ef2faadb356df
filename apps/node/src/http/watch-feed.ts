import type { Watch } from '@jel/monitor'
import type { Agent } from '../agent/agent.ts'
import { jsonLine, watchEvent } from '../events/events.ts'
import type { FeedSink } from './feed.ts'

/** The limit of simultaneous streams. A guess: each may watch sixteen members. */
const STREAMS_LIMIT = 4
/** Maximum number of members of a stream: a person can't tell more lines apart. A guess. */
const MOST_MEMBERS = 16
/**
 * Maximum number of bytes that may wait for a stream that does not read. A guess: an hour of
 * samples.
 */
const BACKLOG_LIMIT = 4 * 1024 * 1024

/**
 * The members that a stream watches: its first event, and one after each change. `of`: the number
 * of all members.
 */
export interface WatchingJson {
  readonly event: 'watching'
  readonly name: string
  readonly members: readonly string[]
  readonly of: number
}

/** Sends to pages the samples of an attribute, from the members that are here longest. */
export class WatchFeed {
  readonly #agent: Agent
  readonly #streams = new Set<FeedSink>()

  constructor(agent: Agent) {
    this.#agent = agent
  }

  get isFull(): boolean {
    return this.#streams.size >= STREAMS_LIMIT
  }

  /** Returns the names of the attributes of this node: most members have the same ones. */
  async names(): Promise<string[]> {
    const { pool, monitor } = this.#agent
    return (await monitor.schema(pool.self)).map(({ name }) => name)
  }

  /**
   * Watches until the stream ends. `begin` is called before the first event.
   *
   * @throws InvalidWatchError
   */
  add(stream: FeedSink, name: string, begin: () => void): void {
    const watch = new PageWatch(this.#agent, stream, name)
    try {
      watch.begin(begin)
    } catch (error) {
      watch.close()
      throw error
    }
    this.#streams.add(stream)
    stream.on('close', () => {
      this.#streams.delete(stream)
      watch.close()
    })
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of this.#streams) stream.end()
  }
}

/** The members that one page watches. Newcomers take the places that are free. */
class PageWatch {
  readonly #agent: Agent
  readonly #stream: FeedSink
  readonly #name: string
  readonly #watches = new Map<string, Watch>()
  readonly #end = new AbortController()

  constructor(agent: Agent, stream: FeedSink, name: string) {
    this.#agent = agent
    this.#stream = stream
    this.#name = name
  }

  /** @throws InvalidWatchError */
  begin(started: () => void): void {
    const begun = this.#begun()
    started()
    this.#tell(begun)
    this.#agent.pool.addEventListener('joined', () => this.#fill(), { signal: this.#end.signal })
  }

  close(): void {
    this.#end.abort()
    for (const watch of this.#watches.values()) watch.close()
  }

  #fill(): void {
    const begun = this.#begun()
    if (begun.length > 0) this.#tell(begun)
  }

  /** Gives the free places to the members that are here longest. */
  #begun(): (readonly [member: string, watch: Watch])[] {
    const free = MOST_MEMBERS - this.#watches.size
    if (free === 0) return []
    const { pool, monitor } = this.#agent
    const others = pool.members({ order: 'join' }).filter(({ id }) => !this.#watches.has(id))
    return others.slice(0, free).map(({ id }) => {
      const watch = monitor.watch({ attributes: [this.#name], from: { ids: [id] } })
      this.#watches.set(id, watch)
      return [id, watch]
    })
  }

  /** Tells the page all watched members. Then sends the samples of the new ones. */
  #tell(begun: readonly (readonly [member: string, watch: Watch])[]): void {
    const members = [...this.#watches.keys()]
    const watching: WatchingJson = { event: 'watching', name: this.#name, members, of: this.#agent.pool.members().length }
    this.#send(watching)
    for (const [id, watch] of begun) void this.#forward(id, watch)
  }

  async #forward(member: string, watch: Watch): Promise<void> {
    for await (const event of watch) {
      this.#send(watchEvent(event))
      if (this.#stream.writableLength > BACKLOG_LIMIT) this.#stream.destroy()
      if (event.type === 'ended') break
    }
    watch.close()
    this.#watches.delete(member)
    if (!this.#end.signal.aborted) this.#fill()
  }

  #send(event: { readonly event: string }): void {
    this.#stream.write(`data: ${jsonLine(event, this.#agent.pool.name)}\n\n`)
  }
}
