import { setTimeout as sleep } from 'node:timers/promises'
import type { Member, Pool, RecordOwner } from '@jel/jel'
import { inTurns } from '../base/in-turns.ts'
import { codeOf, messageOf } from '../base/usage-error.ts'
import { MessageStream } from './message-stream.ts'
import { ORDER_TIMEOUT, ORDERS_PROTOCOL, readInvitation, readOutcome, signedBytes, type Done, type Outcome, type Task } from './order.ts'

/** Orders under way at a time. Guess: each takes a stream, and at most a handshake. */
const AT_ONCE = 16
/** A member that removes a key also ends connections. Then its answer may be lost once. */
const TRIES = 2
/** How long the second try waits, ms: a member lets a failed asker wait for a second. */
const PAUSE = 1_200

/** The result of an order to one member. */
export type OrderResult = { readonly member: Member } & (
  | ({ readonly result: 'done' } & Done)
  | { readonly result: 'refused' | 'no answer'; readonly reason: string }
)

/** Gives orders to other members, signed with the key of an administrator. */
export class OrderGiver {
  readonly #pool: Pool
  readonly #admin: RecordOwner
  readonly #signal: AbortSignal

  /** `signal` gives up orders that are under way. */
  constructor(pool: Pool, admin: RecordOwner, signal: AbortSignal) {
    this.#pool = pool
    this.#admin = admin
    this.#signal = signal
  }

  /** Gives all members an order. Returns the results in the order of the members. */
  async giveAll(members: readonly Member[], task: Task): Promise<OrderResult[]> {
    return await inTurns(members, AT_ONCE, async (member) => await this.#give(member, task))
  }

  async #give(member: Member, task: Task): Promise<OrderResult> {
    for (let tries = 1; ; tries++) {
      try {
        const outcome = await this.#ask(member.id, task)
        if ('refused' in outcome) return { member, result: 'refused', reason: outcome.refused }
        return { member, result: 'done', ...outcome }
      } catch (error) {
        this.#signal.throwIfAborted()
        const isOver = tries === TRIES || codeOf(error) === 'UNKNOWN_MEMBER' || isTimeout(error)
        if (isOver)
          return { member, result: 'no answer', reason: isTimeout(error) ? `none within ${ORDER_TIMEOUT / 1000} s` : messageOf(error) }
      }
      await sleep(PAUSE, undefined, { signal: this.#signal })
    }
  }

  /** Throws if the member does not answer. */
  async #ask(id: string, task: Task): Promise<Outcome> {
    const timeout = AbortSignal.timeout(ORDER_TIMEOUT)
    const signal = AbortSignal.any([this.#signal, timeout])
    const stream = await this.#pool.open(id, ORDERS_PROTOCOL, { signal })
    using messages = new MessageStream(stream)
    const giveUp = (): void => messages.abort()
    signal.addEventListener('abort', giveUp)
    try {
      signal.throwIfAborted()
      const invitation = readInvitation(await messages.receive())
      if ('refused' in invitation) return invitation
      const signature = await this.#pool.sign(signedBytes(id, invitation.nonce, task), { owner: this.#admin })
      messages.send({ by: this.#admin.id, task, signature: Buffer.from(signature).toString('base64') })
      return readOutcome(await messages.receive())
    } catch (error) {
      messages.abort()
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
      await messages.close().catch(() => {})
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}
