import { builtIn } from '#platform/built-in'
import { idOf, siteOf, type MemberRef, type Pool } from '@jel/jel'
import * as v from 'valibot'
import type { Attribute, AttributeSchema } from './core/attribute.ts'
import { WATCH_PROTOCOL } from './core/watch-messages.ts'
import { MAX_NAMES, readOptions, type Answer, type Request } from './core/messages.ts'
import type { Allow } from './core/permissions.ts'
import type { Reading, ReadOptions } from './core/reading.ts'
import { InvalidReadError, MonitorClosedError } from './errors.ts'
import { Attributes, DEFAULT_TIMEOUT } from './shell/attributes.ts'
import { Constants, type ConstantValues } from './shell/constants.ts'
import { SiteWatches, type SiteAggregate } from './shell/site-watches.ts'
import { InfoStreams } from './shell/info-streams.ts'
import { Watch, type WatchOptions } from './shell/watch.ts'
import { Sinks } from './shell/sinks.ts'
import type { MemberEvent, WatchEvent } from './shell/watch-client.ts'
import { WatchServer } from './shell/watch-server.ts'
import { parseWatch, type WatchSpec } from './core/watch-spec.ts'

/**
 * The attributes of the members of a pool (GMA: this member is a producer and a consumer). Values
 * stay at the member that measures them, and a sensor runs only when a member reads its attribute.
 * `monitor` creates a Monitor.
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
   * States constants of this member, such as its processors. They are in this member's
   * joined-statement, and each call replaces that statement. All members have it, so none has to
   * ask. A second call adds to the constants of the first one. The value `undefined` removes a
   * constant.
   *
   * @throws InvalidAttributeError for an invalid name or value; InvalidConstantError if all
   *   constants of this member take more than 512 bytes
   */
  async constant(values: Readonly<Record<string, ConstantValues[string] | undefined>>): Promise<void> {
    this.#check()
    await this.#constants.state(values)
  }

  /** Returns the constants that a member stated. This sends no message. */
  constantsOf(member: MemberRef): ConstantValues {
    return this.#constants.of(member)
  }

  /**
   * Adds an attribute of this member, or replaces the attribute of this name. It is measured when a
   * member reads it.
   *
   * @returns a function that removes the attribute
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
   * Reads attributes of a member. The reading of an attribute without a value has a `problem`. The
   * other readings still have values.
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
    const { readings } = await this.#ask(member, asked, options.timeout ?? DEFAULT_TIMEOUT, signal)
    return readings ?? []
  }

  /**
   * Returns all attributes of a member, with their units and times.
   *
   * @throws as `read`
   */
  async schema(member: MemberRef, { signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly AttributeSchema[]> {
    this.#check()
    return (await this.#ask(member, { schema: true }, DEFAULT_TIMEOUT, signal)).schemas ?? []
  }

  /**
   * Watches attributes of members, newcomers included, until the reader of the result stops. A
   * member measures an attribute once for all members that watch it. After a broken stream the
   * watched member sends again the samples of the last ten minutes that this member missed. They
   * are marked as `replayed`.
   *
   * @throws InvalidWatchError, InvalidExpressionError
   */
  watch(options: WatchOptions): Watch {
    this.#check()
    return new Watch({ pool: this.#pool, own: { watch: (...args) => this.#server.watch(...args) }, closed: this.#end.signal }, options)
  }

  /**
   * The aggregates that this member computes because members watch its site (`by: 'site'`). Empty:
   * no such watch runs here.
   */
  get siteAggregates(): readonly (SiteAggregate & { readonly site: string })[] {
    const site = siteOf(this.#pool.self)
    return (this.#sites?.aggregates ?? []).map((each) => ({ ...each, site }))
  }

  /**
   * Bytes of samples that wait here for consumers that read slowly. The samples of the last ten
   * minutes do not count: a member keeps them once, for all consumers.
   */
  get heldBytes(): number {
    return this.#watchServer?.held ?? 0
  }

  /**
   * Accepts samples of these attributes that other members push: see `push`.
   *
   * @returns a function that ends this: the samples are refused again
   */
  accept(names: readonly string[], sink: (event: WatchEvent | MemberEvent) => void): () => void {
    this.#check()
    return this.#sinks.add(names, sink)
  }

  /**
   * Sends samples of attributes to a member that accepts them.
   *
   * @returns a function that ends the sending
   * @throws InvalidWatchError, InvalidExpressionError; UnknownMemberError; OpenError;
   *   MonitorClosedError
   */
  async push(member: MemberRef, spec: WatchSpec): Promise<() => void> {
    this.#check()
    const parsed = parseWatch(spec)
    const stream = await this.#pool.open(member, WATCH_PROTOCOL)
    try {
      this.#check()
    } catch (error) {
      stream.abort(error as Error)
      throw error
    }
    return this.#server.push(stream, parsed)
  }

  /**
   * Decides which values each member may see of each attribute: `all`, a `summary`, or `none`. A
   * summary is a watch of means or counts over at least ten minutes. Default: all. All members may
   * see the names, units and times: see `schema`. The decision is for later reads and watches.
   */
  allow(allow: Allow): void {
    this.#allow = allow
  }

  /** Serves no more attributes, and removes the constants of this member. */
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
    // Other members may want aggregates of the site of this member.
    const site = siteOf(this.#pool.self)
    this.#sites = new SiteWatches(({ attributes, every }) => this.watch({ attributes, every, from: { location: site } }))
    return (this.#watchServer = new WatchServer(this.#attributes, this.#sites, (asked) => this.#allow(asked)))
  }

  #check(): void {
    if (this.#end.signal.aborted) throw new MonitorClosedError('this monitor is closed')
  }

  async #ask(member: MemberRef, asked: Request, time: number, signal?: AbortSignal): Promise<Answer> {
    const id = idOf(member)
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
