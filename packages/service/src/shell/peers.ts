import { Channels, fromJson, toJson } from '@jel/channel'
import type { Pool } from '@jel/jel'
import { callAll } from '@jel/overlay'
import * as v from 'valibot'
import { serviceName, serviceOf } from '../core/directory.ts'
import type { Reapplied } from '../core/reapplied.ts'
import {
  MAX_REPLICA_BYTES,
  reappliedMessage,
  replicaMessage,
  textOfMessage,
  type OutgoingMessage,
  type ReplicaMessage,
} from '../core/replica-messages.ts'
import { Reports, type Report } from '../core/reports.ts'

const REPLICA_PROTOCOL = '/jel-replica/1.0.0'

const peerMessage = v.union([v.object({ name: serviceName, replica: replicaMessage }), v.object({ reapplied: reappliedMessage })])

/** The replica of this member that handles messages of other replicas. */
export interface PeerListener {
  message(from: string, message: ReplicaMessage): void
  broken(member: string): void
}

/** Waits for another primary. */
export interface PrimaryChange {
  readonly promise: Promise<void>
  readonly hasCome: boolean
  end(): void
}

/** Exchanges messages with the replicas of other members, and hears of new primaries. */
export class Peers {
  readonly #pool: Pool
  readonly #channels: Channels
  readonly #listeners = new Map<string, PeerListener>()
  /** The members to which streams stay open, for each service. */
  readonly #kept = new Map<string, readonly string[]>()
  readonly #reapplied = new Set<(reapplied: Reapplied) => void>()
  readonly #reports = new Reports()
  readonly #changes = new Map<string, Set<{ readonly target: string | undefined; readonly come: () => void }>>()
  readonly #end = new AbortController()
  #started: Promise<void> | undefined
  #last: { readonly replica: OutgoingMessage; readonly bytes: Uint8Array } | undefined

  constructor(pool: Pool) {
    this.#pool = pool
    this.#channels = new Channels(pool, {
      protocol: REPLICA_PROTOCOL,
      maxBytes: MAX_REPLICA_BYTES,
      onMessage: (from, bytes) => this.#take(from, bytes),
      onFailed: (member) => {
        for (const listener of this.#listeners.values()) listener.broken(member)
      },
    })
    pool.addEventListener(
      'elected',
      ({ detail: { election, winner } }) => {
        for (const change of this.#changes.get(election) ?? []) if (change.target !== winner.id) change.come()
      },
      { signal: this.#end.signal },
    )
    pool.addEventListener(
      'joined',
      ({ detail: { id } }) => {
        for (const { bytes } of this.#reports.take(id)) this.#channels.send(id, bytes)
      },
      { signal: this.#end.signal },
    )
  }

  /** Receives messages from now on. */
  async start(): Promise<void> {
    this.#started ??= this.#channels.start(this.#end.signal)
    await this.#started
  }

  /** Calls `start` without waiting. The pool may have ended. */
  listen(): void {
    this.start().catch(() => {})
  }

  add(name: string, listener: PeerListener): void {
    this.#listeners.set(name, listener)
  }

  remove(name: string): void {
    this.#listeners.delete(name)
    this.keep(name, [])
  }

  /** Keeps streams to these members open for a service. */
  keep(name: string, ids: readonly string[]): void {
    if (ids.length === 0) this.#kept.delete(name)
    else this.#kept.set(name, ids)
    this.#channels.keep(new Set([...this.#kept.values()].flat()))
  }

  send(to: string, name: string, replica: OutgoingMessage): void {
    // Several backups get the same operations.
    if (this.#last?.replica !== replica) this.#last = { replica, bytes: encode(name, replica) }
    this.#channels.send(to, this.#last.bytes)
  }

  /**
   * Tells a caller of an operation that was applied again, as soon as the caller is a member.
   * Returns the reports that are dropped.
   */
  tell(caller: string, reapplied: Reapplied): readonly Report[] {
    if (caller === this.#pool.self.id) this.#hear(reapplied)
    else {
      const bytes = toJson({ reapplied })
      if (!this.#pool.members().some(({ id }) => id === caller)) return this.#reports.add({ caller, key: reapplied.key, bytes })
      this.#channels.send(caller, bytes)
    }
    return []
  }

  onReapplied(listener: (reapplied: Reapplied) => void): () => void {
    this.listen()
    this.#reapplied.add(listener)
    return () => void this.#reapplied.delete(listener)
  }

  /** Waits until a member other than `target` wins an election. */
  changeOf(election: string, target: string | undefined): PrimaryChange {
    const { promise, resolve } = Promise.withResolvers<void>()
    let hasCome = false
    const come = (): void => {
      hasCome = true
      resolve()
    }
    const change = { target, come }
    const all = this.#changes.get(election) ?? new Set()
    this.#changes.set(election, all)
    all.add(change)
    const end = (): void => {
      all.delete(change)
      if (all.size === 0 && this.#changes.get(election) === all) this.#changes.delete(election)
    }
    return {
      promise,
      get hasCome() {
        return hasCome
      },
      end,
    }
  }

  close(): void {
    this.#end.abort()
    this.#channels.close()
  }

  #take(from: string, bytes: Uint8Array): void {
    const message = fromJson(peerMessage, bytes)
    if ('reapplied' in message) {
      // A member without the service can't have applied an operation.
      const member = this.#pool.members().find(({ id }) => id === from)
      if (member !== undefined && serviceOf(member, message.reapplied.name) !== undefined) this.#hear(message.reapplied)
    } else this.#listeners.get(message.name)?.message(from, message.replica)
  }

  #hear(reapplied: Reapplied): void {
    callAll(this.#reapplied, reapplied)
  }
}

function encode(name: string, replica: OutgoingMessage): Uint8Array {
  return new TextEncoder().encode(`{"name":${JSON.stringify(name)},"replica":${textOfMessage(replica)}}`)
}
