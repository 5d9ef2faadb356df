import type { LedgerNode } from '@jel/ledger'
import type { Session } from '../base/session.ts'
import { later } from '../base/timers.ts'

/** The fixed size of a pool as its ledger has it. The ledger itself takes no member beyond it. */
export class AgreedSize {
  readonly #session: Session
  readonly #ledger: LedgerNode
  readonly #end = Promise.withResolvers<void>()
  readonly promise = this.#end.promise

  constructor(session: Session, ledger: LedgerNode) {
    this.#session = session
    this.#ledger = ledger
    this.promise.catch(() => {}) // perhaps nobody waits for it
    // The application can add its listeners only after this turn.
    if (ledger.isPoolClosed) later(() => this.#closed(), 0)
    session.listen({ poolClosed: () => this.#closed() }, (error) => this.#end.reject(error))
  }

  /** Undefined: no limit. */
  get size(): number | undefined {
    return this.#ledger.size
  }

  #closed(): void {
    const { size } = this
    if (size === undefined) return
    this.#end.resolve()
    this.#session.emit('poolClosed', { size })
  }
}
