import type { LedgerNode, LedgerStatus } from '@jel/ledger'
import { checkCount, checkElectionName, checkEventName, checkPayload } from '../base/arguments.ts'
import type { Reign } from '../base/member.ts'
import type { Abortable, Session } from '../base/session.ts'
import { InvalidOptionError } from '../errors.ts'
import { StreamCalls } from './streams.ts'

/** A call of the ledger without a signal rejects after this time, ms (LEDGER §5). */
const TIMEOUT = 10_000

/**
 * The calls of a pool about its ledger. Only a pool that joined with `joins: 'reliable'` or
 * `elections: 'uniform'` has one.
 */
export class LedgerCalls extends StreamCalls {
  readonly #session: Session

  /** @internal */
  constructor(session: Session) {
    super(session)
    this.#session = session
  }

  /** The state of the ledger, as this node sees it. Undefined: this node asked for none. */
  get ledger(): LedgerStatus | undefined {
    return this.#session.ledger?.status
  }

  /**
   * Reads the reign of an election as it stood at some moment during this call (linearizable). A
   * reign may end at any time after that. So a resource must still refuse an epoch below the
   * highest one that it has seen.
   *
   * @param options.signal gives up. Default: after 10 s
   * @returns undefined if nobody reigned
   * @throws NoMajorityError if too few voters answer; InvalidOptionError without `elections:
   *   'uniform'`; InvalidElectionNameError, PoolLeftError
   */
  async confirm(election: string, { signal }: Abortable = {}): Promise<Reign | undefined> {
    this.#session.check(signal)
    checkElectionName(election)
    const { ledger, view } = this.#session
    if (ledger === undefined || this.#session.parts.elections !== 'uniform')
      throw new InvalidOptionError("confirm: needs a pool that was joined with elections: 'uniform'")
    return await this.#session.ask(async () => {
      await ledger.confirm(election, timely(signal))
      return view?.reign(election)
    })
  }

  /**
   * Sends bytes to all members of the ledger. The message has one place among joins, ends and
   * reigns. This place is the same at all members. All members get the event `ordered`, this node
   * included.
   *
   * @param name follows the rules for names of user events
   * @param payload at most 1,024 bytes; text is sent as UTF-8
   * @param options.signal gives up waiting; the message may still get a place. Default: after 10 s
   * @returns the index of its place. No other entry has this index, and later entries have higher
   *   ones
   * @throws NoMajorityError, LedgerBusyError; InvalidEventError; InvalidOptionError in a pool
   *   without a ledger; PoolLeftError
   */
  async order(name: string, payload: Uint8Array | string, { signal }: Abortable = {}): Promise<{ readonly index: number }> {
    this.#session.check(signal)
    checkEventName(name)
    const bytes = checkPayload(payload)
    const ledger = this.#strong('order')
    return { index: await this.#session.ask(async () => await ledger.order(name, bytes, timely(signal))) }
  }

  /**
   * Begins the next generation of the ledger on this member alone, after the majority of its voters
   * is lost for good. Entries that this member does not have are lost, and epochs go on far above
   * the former ones. If the lost voters are alive behind a cut, there are two ledgers from now on.
   * Call it on one member only.
   *
   * @param lost the number of voters that are lost, as a check
   * @throws RecoveryError if there is a leader, or another number of voters is lost; PoolLeftError
   */
  async recoverLedger(lost: number): Promise<void> {
    this.#session.check()
    checkCount('lost', lost)
    await this.#session.ask(async () => await this.#strong('recoverLedger').recover(lost))
  }

  /**
   * Gives up this member's ledger for the one of the other members, if the pool has two.
   *
   * @throws RecoveryError if the others have none, or the same; LedgerConflictError if they have
   *   two; PoolLeftError
   */
  async abandonLedger(): Promise<void> {
    this.#session.check()
    await this.#session.ask(async () => await this.#strong('abandonLedger').abandon())
  }

  #strong(call: string): LedgerNode {
    const { ledger } = this.#session
    if (ledger === undefined)
      throw new InvalidOptionError(`${call}: needs a pool that was joined with joins: 'reliable' or elections: 'uniform'`)
    return ledger
  }
}

function timely(signal: AbortSignal | undefined): AbortSignal {
  return signal ?? AbortSignal.timeout(TIMEOUT)
}
