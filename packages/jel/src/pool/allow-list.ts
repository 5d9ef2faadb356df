import type { Session } from '../base/session.ts'

/**
 * Changes the list of nodes that may connect to this node, while it runs. The list is the option
 * `allow` at first. A change lasts only as long as the node runs: change the option, too. Each node
 * has a list of its own, so make the same change at all nodes. Not in the paper.
 *
 * The methods reject with InvalidPeerIdError or PoolLeftError. They reject with NoAllowListError if
 * this node was started without `allow`. `list` rejects with PoolLeftError only.
 */
export class AllowList {
  readonly #session: Session

  /** @internal */
  constructor(session: Session) {
    this.#session = session
  }

  /** Lets a node connect from now on. It is no error if the node is listed already. */
  async add(id: string): Promise<void> {
    this.#session.check()
    await this.#session.ask(() => this.#session.host.allow(id))
  }

  /**
   * Refuses a node from now on, and ends its connections. It is no error if the node is not listed.
   */
  async remove(id: string): Promise<void> {
    this.#session.check()
    await this.#session.ask(() => this.#session.host.disallow(id))
  }

  /** Returns the ids, sorted. Undefined: there is no list, and every node may connect. */
  async list(): Promise<readonly string[] | undefined> {
    this.#session.check()
    return await this.#session.ask(() => this.#session.host.allowList())
  }
}
