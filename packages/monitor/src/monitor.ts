import { builtIn } from '#platform/built-in'
import type { MemberRef, Pool } from '@jel/jel'
import * as v from 'valibot'
import type { Attribute, AttributeSchema } from './core/attribute.ts'
import { WATCH_PROTOCOL } from './core/watch-messages.ts'
import { MAX_NAMES, readOptions, type Answer, type Request } from './core/messages.ts'
import type { Allow } from './core/permissions.ts'
import type { Reading, ReadOptions } from './core/reading.ts'
import { InvalidReadError, MonitorClosedError } from './errors.ts'
import { Attributes } from './shell/attributes.ts'
import { Constants, type ConstantValues } from './shell/constants.ts'
import { siteOf } from './core/sites.ts'
import { SiteWatches, type SiteAggregate } from './shell/site-watches.ts'
import { InfoStreams } from './shell/info-streams.ts'
import { Watch, type WatchOptions } from './shell/watch.ts'
import { Sinks } from './shell/sinks.ts'
import type { MemberEvent, WatchEvent } from './shell/watch-client.ts'
import { WatchServer } from './shell/watch-server.ts'
import { parseWatch, type WatchSpec } from './core/watch-spec.ts'

/** The time that a member has for its schemas, ms, and default of `timeout`. Guesses. */
const ANSWER_TIME = 5000

/**
 * The attributes of the members of a pool (GMA: this member is a producer and a consumer). Values
 * stay where they are measured, and a sensor runs only when somebody reads. `monitor` creates it.
 */
export class Monitor implements AsyncDisposable {
  readonly #pool: Pool
  readonly #attributes = new Attributes()
  readonly #constants: Constants
  readonly #streams: InfoStreams
  readonly #end = new AbortController()
  #allow: Allow = () => 'all'
  /** Created with the first watch. */
  #watchServer: WatchServer | undefined
  #sites: SiteWatches | undefined
  readonly #sinks = new Sinks()

  private constructor(pool: Pool) {
    this.#pool = pool
    this.#constants = new Constants(pool)
    this.#streams = new InfoStreams(pool, async (asked, from) => await this.#answer(asked, from))
  }

  /** @internal */
  static async start(pool: Pool): Promise<Monitor> {
    const started = new Monitor(pool)
    await started.#streams.start(started.#end.signal)
    await pool.handle(
      WATCH_PROTOCOL,
      (stream, from) => started.#server.serve(stream, from, (names) => started.#sinks.takerOf(from, names)),
      {
        signal: started.#end.signal,
      },
    )
    void pool.closed.then(() => started.#close())
    return started
  }

  /**
   * States constants of this member, such as its processors. They ride in its own joined-statement,
   * so every member has them without a question. A second call adds to the first. `undefined`
   * removes one.
   *
   * @throws InvalidAttributeError for a name or value that is none; InvalidConstantError if all
   *   constants of this member take more than 512 bytes
   */
  async constant(values: Readonly<Record<string, ConstantValues[string] | undefined>>): Promise<void> {
    this.#check()
    await this.#constants.state(values)
  }

  /** Returns the constants that a member stated. No message is sent. */
  constantsOf(member: MemberRef): ConstantValues {
    return this.#constants.of(member)
  }

  /**
   * Adds an attribute of this member, or replaces the one of this name. It is measured when
   * somebody reads it.
   *
   * @returns removes it again
   * @throws InvalidAttributeError
   */
  attribute(name: string, attribute: Attribute): () => void {
    this.#check()
    return this.#attributes.define(name, attribute)
  }

  /**
   * Adds the attributes of the machine under OpenTelemetry's names: processors, load, memory, disk,
   * battery.
   */
  addBuiltIn(): void {
    for (const [name, attribute] of builtIn()) this.attribute(name, attribute)
  }

  /**
   * Reads attributes of a member. One that has no value has a `problem`, and the others still have
   * values.
   *
   * @param names at most 256; undefined: all attributes of the member
   * @returns the readings in the order of the names
   * @throws InvalidReadError; NoAnswerError; UnknownMemberError; OpenError if the member can't be
   *   reached or serves no attributes
   */
  async read(
    member: MemberRef,
    names?: readonly string[],
    { signal, ...options }: ReadOptions & { readonly signal?: AbortSignal } = {},
  ): Promise<readonly Reading[]> {
    this.#check()
    signal?.throwIfAborted()
    const { issues, output } = v.safeParse(readOptions, options)
    if (issues !== undefined) throw new InvalidReadError(`${v.getDotPath(issues[0]) ?? 'options'}: ${issues[0].message}`)
    if (names !== undefined && names.length > MAX_NAMES)
      throw new InvalidReadError(`${names.length} names; at most ${MAX_NAMES} are allowed`)
    const asked = { ...(names && { read: [...names] }), ...output }
    const { readings } = await this.#ask(member, asked, options.timeout ?? ANSWER_TIME, signal)
    return readings ?? []
  }

  /**
   * Returns all attributes of a member, with their units and times.
   *
   * @throws as `read`
   */
  async schema(member: MemberRef, { signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly AttributeSchema[]> {
    this.#check()
    return (await this.#ask(member, { schema: true }, ANSWER_TIME, signal)).schemas ?? []
  }

  /**
   * Watches attributes of members, newcomers included, for as long as somebody reads the result. A
   * member measures an attribute once for all that watch it. After a break of the stream the
   * samples of the last ten minutes come late.
   *
   * @throws InvalidWatchError, InvalidExpressionError
   */
  watch(options: WatchOptions): Watch {
    this.#check()
    return new Watch({ pool: this.#pool, own: { watch: (...args) => this.#server.watch(...args) }, closed: this.#end.signal }, options)
  }

  /**
   * The numbers of this member's site that it computes for watches by site, of any member. Empty:
   * none runs.
   */
  get siteAggregates(): readonly (SiteAggregate & { readonly site: string })[] {
    const site = siteOf(this.#pool.self)
    return (this.#sites?.aggregates ?? []).map((each) => ({ ...each, site }))
  }

  /**
   * Bytes of samples that this member keeps for consumers which read slowly. The samples of the
   * last ten minutes are not among them: a member has them once, for all consumers.
   */
  get heldBytes(): number {
    return this.#watchServer?.held ?? 0
  }

  /**
   * Lets other members begin: takes samples of these attributes from any member that pushes them.
   *
   * @returns takes no more
   */
  accept(names: readonly string[], sink: (event: WatchEvent | MemberEvent) => void): () => void {
    this.#check()
    return this.#sinks.add(names, sink)
  }

  /**
   * Sends samples of attributes to a member that accepts them.
   *
   * @returns ends it
   * @throws InvalidWatchError, InvalidExpressionError; UnknownMemberError; OpenError
   */
  async push(member: MemberRef, spec: WatchSpec): Promise<() => void> {
    this.#check()
    const parsed = parseWatch(spec)
    return this.#server.push(await this.#pool.open(member, WATCH_PROTOCOL), parsed)
  }

  /**
   * Decides what each member may see of each attribute: `all`, a `summary` (means and the like of
   * at least ten minutes), or `none`. Default: all. It holds for later reads and watches.
   */
  allow(allow: Allow): void {
    this.#allow = allow
  }

  /** Serves no attributes any more. The constants of this member go. */
  async close(): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#close()
    await this.#constants.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #close(): void {
    this.#end.abort()
    this.#attributes.close()
    this.#watchServer?.close()
  }

  get #server(): WatchServer {
    if (this.#watchServer !== undefined) return this.#watchServer
    // Others may want numbers of the whole site of this member.
    const site = siteOf(this.#pool.self)
    this.#sites = new SiteWatches(({ attributes, every }) => this.watch({ attributes, every, from: { location: site } }))
    return (this.#watchServer = new WatchServer(this.#attributes, this.#sites, (asked) => this.#allow(asked)))
  }

  #check(): void {
    if (this.#end.signal.aborted) throw new MonitorClosedError('this monitor is closed')
  }

  async #ask(member: MemberRef, asked: Request, time: number, signal?: AbortSignal): Promise<Answer> {
    const id = typeof member === 'string' ? member : member.id
    return id === this.#pool.self.id ? await this.#answer(asked, id) : await this.#streams.ask(member, asked, time, signal)
  }

  async #answer(asked: Request, from: string): Promise<Answer> {
    if ('schema' in asked) return { schemas: this.#attributes.schemas() }
    const { read: names = this.#attributes.schemas().map(({ name }) => name), ...options } = asked
    return {
      readings: await Promise.all(names.map(async (name) => await this.#readFor(from, name, options as ReadOptions, names.length === 1))),
    }
  }

  async #readFor(from: string, name: string, options: ReadOptions, hint: boolean): Promise<Reading> {
    if (from === this.#pool.self.id || this.#allow({ member: from, attribute: name }) === 'all')
      return await this.#attributes.read(name, options, hint)
    return { name, unit: '', problem: { code: 'DENIED', message: `${name}: this member does not let you read it` } }
  }
}

/**
 * Begins to monitor the members of a pool, and lets them read this member's attributes.
 *
 * @throws InvalidProtocolError if this member has a monitor already; PoolLeftError
 */
export async function monitor(pool: Pool): Promise<Monitor> {
  return await Monitor.start(pool)
}
