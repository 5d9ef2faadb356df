import { encode, toBase64 } from '../fold/bodies.ts'
import type { LedgerEvent, LedgerMember, Life } from '../fold/events.ts'
import type { Propose } from './candidacies.ts'
import { signLife } from './life-statement.ts'
import type { LedgerPort } from './port.ts'

/** The present life of this member in the ledger. Each of its lives must join. */
export class OwnLife {
  readonly #port: Pick<LedgerPort, 'self' | 'sign' | 'rejoin'>
  readonly #propose: Propose
  readonly #hasEnded: (life: Life) => boolean
  #joined: LedgerMember | undefined
  /** The incarnation whose join is being proposed. */
  #joining = 0
  /** Whether some life of this process has joined. Until then the listeners get no events. */
  hasEntered = false
  /** Whether the ledger has refused this member. */
  isRefused = false
  /** Whether the present life is the last one. */
  isLeaving = false

  /** @param hasEnded whether a life has ended in the ledger */
  constructor(port: Pick<LedgerPort, 'self' | 'sign' | 'rejoin'>, propose: Propose, hasEnded: (life: Life) => boolean) {
    this.#port = port
    this.#propose = propose
    this.#hasEnded = hasEnded
  }

  /** Undefined: this life has not joined. */
  get joined(): LedgerMember | undefined {
    return this.#joined
  }

  isOwn({ id, incarnation }: Life): boolean {
    const { self } = this.#port
    return id === self.id && incarnation === self.incarnation
  }

  /**
   * Proposes the join of this life, if it has not joined yet. If the life has ended in the ledger
   * but not in the pool, begins the next life. A leader may have taken a sleeping member for dead.
   */
  async join(): Promise<void> {
    const { id, incarnation } = this.#port.self
    if (this.isRefused || this.isLeaving || this.#joined?.incarnation === incarnation || this.#joining === incarnation) return
    this.#joining = incarnation
    try {
      if (this.#hasEnded({ id, incarnation })) {
        this.#port.rejoin(incarnation)
        return
      }
      const statement = toBase64(await signLife(this.#port, { id, incarnation }))
      await this.#propose(() => encode('join', { statement }))
    } catch {
      // Another ledger has begun, or this member leaves. The node calls `join` again each second.
    } finally {
      this.#joining = 0
    }
  }

  /** Applies an event. Returns the change of this life, if the event is about it. */
  take(event: LedgerEvent): 'joined' | 'refused' | 'ended' | undefined {
    if (event.type === 'joined' && this.isOwn(event.member)) {
      this.#joined = event.member
      return 'joined'
    }
    if (event.type === 'refused' && this.isOwn(event.life)) {
      this.isRefused = true
      return 'refused'
    }
    if (event.type !== 'ended' || event.life.id !== this.#joined?.id || event.life.incarnation !== this.#joined.incarnation)
      return undefined
    this.#joined = undefined
    return 'ended'
  }

  /** A snapshot has replaced the state. */
  installed(members: readonly LedgerMember[]): void {
    this.#joined = members.find((member) => this.isOwn(member))
  }
}
