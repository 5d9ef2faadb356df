import { factOf, FairOrder, StatementCodec } from '@jel/protocol/internals'

const NOW = 1_800_000_000_000
/** Maximum number of records that a pool holds. */
const ROOM = 4096

/** The records of a pool. They are evicted in the same order as in a real pool. */
export class Records {
  readonly #order = new FairOrder()
  readonly #codec = new StatementCodec('pool', {
    sign: () => crypto.getRandomValues(new Uint8Array(64)),
    verify: () => true,
  })
  readonly #names = new Map<string, string>()
  readonly #room: number

  constructor(room = ROOM) {
    this.#room = room
  }

  /** Publishes a record. Returns the name of the record that is evicted for it, if there is one. */
  publish(owner: string, name: string): string | undefined {
    const content = { kind: 'record', name, version: NOW, expires: NOW + 1, value: Uint8Array.of(1), withdrawn: false } as const
    const fact = factOf({ statement: this.#codec.sign(owner, content) })
    this.#order.add(fact)
    this.#names.set(fact.key, name)
    const last = this.#order.last()
    if (this.#order.size <= this.#room || last === undefined) return undefined
    const left = this.#names.get(last.key)
    this.#order.remove(last)
    this.#names.delete(last.key)
    return left
  }

  /** Removes a record that is over. */
  withdraw(owner: string, name: string): void {
    const held = this.#order.of(owner).find(({ key }) => this.#names.get(key) === name)
    if (held === undefined) return
    this.#order.remove(held)
    this.#names.delete(held.key)
  }

  get held(): (string | undefined)[] {
    return this.#order.facts().map(({ key }) => this.#names.get(key))
  }
}
