import { OverlayClosedError, UnknownMemberError } from '@jel/overlay'
import type { TypedEventEmitter } from 'main-event'
import { EventBuffer } from './paused-events.ts'
import { idOf, type MemberRef } from './member.ts'
import { PoolLeftError, type PoolClosedError } from '../errors.ts'
import type { PoolEvents } from './events.ts'
import type { LedgerNode } from '@jel/ledger'
import { AgreedView, type AgreedNews } from './agreed-view.ts'
import type { PoolHost } from './host.ts'
import type { PoolParts } from './parts.ts'

/** How a pool ended for this node: by `leave()`, or because it could not go on. */
export type PoolEnd = { readonly reason: 'left' } | { readonly reason: 'failed'; readonly error: Error }

/**
 * The options of an operation that a caller can abort. The operation then rejects with
 * `signal.reason`.
 */
export interface Abortable {
  /** Aborts the operation. */
  signal?: AbortSignal
}

type NewsOf<Type> = Extract<AgreedNews, { readonly type: Type }>
type NewsHandlers = { readonly [Type in AgreedNews['type']]?: (news: NewsOf<Type>) => void }
type EndListener = (error: PoolLeftError, failure: Error | undefined) => void

/** This node's stay in one pool, from its entry to its end. All calls of a pool share it. */
export class Session {
  readonly host: PoolHost
  readonly parts: PoolParts
  /** The ledger of the pool, and the pool as the ledger has it. */
  readonly ledger: LedgerNode | undefined
  readonly view: AgreedView | undefined
  readonly closed: Promise<PoolEnd>
  readonly events = new EventBuffer()
  readonly #newsHandlers: NewsHandlers[] = []
  readonly #endListeners: EndListener[] = []
  readonly #unsubscribe: () => void
  #emitter: TypedEventEmitter<PoolEvents> | undefined
  #leftError: PoolLeftError | undefined
  /** The reason why this node may not stay. */
  #excess: PoolClosedError | undefined
  #leaving: Promise<void> | undefined

  constructor(host: PoolHost, parts: PoolParts, ledger?: LedgerNode) {
    this.host = host
    this.parts = parts
    this.ledger = ledger
    this.view = ledger === undefined ? undefined : new AgreedView(ledger, host, parts)
    const ends = [
      host.subscribe((news) => {
        const shown = this.view === undefined ? news : this.view.ofHost(news)
        if (shown !== undefined) this.#dispatch(shown)
      }),
      this.view?.subscribe((news) => this.#dispatch(news)),
    ]
    this.#unsubscribe = () => ends.forEach((end) => end?.())
    this.closed = host.closed.then((end) => {
      void this.ledger?.close()
      this.end(end.reason === 'failed' ? end.error : undefined)
      return this.#excess === undefined ? end : { reason: 'failed', error: this.#excess }
    })
  }

  get pool(): string {
    return this.host.pool
  }

  /** Where candidates stand, and whose reigns count. */
  get electorate(): Pick<PoolHost, 'elect' | 'withdraw' | 'reign' | 'reigns'> {
    return this.view !== undefined && this.parts.elections === 'uniform' ? this.view : this.host
  }

  /** Adds the handlers of one part of the pool: for news, by type, and for the end. */
  listen(handlers: NewsHandlers, onEnd: EndListener): void {
    this.#newsHandlers.push(handlers)
    this.#endListeners.push(onEnd)
  }

  /** The target of all events. */
  set emitter(emitter: TypedEventEmitter<PoolEvents>) {
    this.#emitter = emitter
  }

  /** Dispatches an event now, or when events resume. */
  emit<Type extends keyof PoolEvents>(type: Type, detail: PoolEvents[Type]['detail']): void {
    this.events.push(() => this.#emitter?.safeDispatchEvent(type, { detail }))
  }

  warn(code: string, message: string): void {
    this.emit('warning', { code, message })
  }

  /** Throws PoolLeftError after the end, or the reason of an aborted signal. */
  check(signal?: AbortSignal): void {
    if (this.#leftError !== undefined) throw this.#leftError
    signal?.throwIfAborted()
  }

  /** Calls the host. Throws the errors of the facade. */
  async ask<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      throw this.errorOf(error)
    }
  }

  /** Like `ask`, for a call without a promise. */
  order(call: () => void): void {
    try {
      call()
    } catch (error) {
      throw this.errorOf(error)
    }
  }

  /**
   * Replaces the error of a closed overlay. The overlay ends a moment before this pool gets the
   * reason.
   */
  errorOf(error: unknown): unknown {
    return error instanceof OverlayClosedError ? (this.#leftError ?? new PoolLeftError(this.pool, error)) : error
  }

  knows(id: string): boolean {
    return this.host.members().some((member) => member.id === id)
  }

  /** Returns the id of a member of the view. Throws UnknownMemberError. */
  knownId(member: MemberRef): string {
    const id = idOf(member)
    if (!this.knows(id)) throw new UnknownMemberError(`no member of this pool has the id ${JSON.stringify(id.slice(0, 128))}`)
    return id
  }

  async leave(): Promise<void> {
    this.end()
    this.#leaving ??= this.#leave()
    await this.#leaving
  }

  async #leave(): Promise<void> {
    await this.ledger?.leave()
    await this.host.leave()
  }

  /** Leaves a pool of a fixed size, because enough members joined before this node. */
  async expel(error: PoolClosedError): Promise<void> {
    this.#excess = error
    this.end(error)
    await this.leave()
  }

  /** Ends the session. After this the session dispatches no event. */
  end(failure?: Error): void {
    if (this.#leftError !== undefined) return
    const error = new PoolLeftError(this.pool, failure)
    this.#leftError = error
    this.#unsubscribe()
    for (const listener of this.#endListeners) listener(error, failure)
  }

  #dispatch<Type extends AgreedNews['type']>(news: NewsOf<Type> & { readonly type: Type }): void {
    for (const handlers of this.#newsHandlers) if (this.#leftError === undefined) handlers[news.type]?.(news)
  }
}
