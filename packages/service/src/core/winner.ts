import type { Candidacy } from './candidacy.ts'
import type { Reign } from './history.ts'
import { Primary } from './primary.ts'
import type { ReplicaCall, ReplicaContext } from './replica-io.ts'
import type { ReplicaMessage } from './replica-messages.ts'
import type { SnapshotSender } from './snapshots.ts'
import { Takeover } from './takeover.ts'

/** A replica that sent nothing in this number of takeovers causes no further one. A guess. */
const MAX_SILENT = 2

/** A replica that won the election. It takes over first, and then it is the primary. */
export class Winner {
  readonly #context: ReplicaContext
  readonly #candidacy: Candidacy
  readonly #snapshots: SnapshotSender
  #takeover: Takeover | undefined
  #primary: Primary | undefined
  /** Calls that wait until there is a primary. */
  #held: ReplicaCall[] = []
  #turns = 0
  /** How often each replica announced the greatest state in a takeover, and sent none of it. */
  readonly #silent = new Map<string, number>()

  constructor(context: ReplicaContext, candidacy: Candidacy, snapshots: SnapshotSender) {
    this.#context = context
    this.#candidacy = candidacy
    this.#snapshots = snapshots
  }

  get role(): 'primary' | 'takes over' | undefined {
    if (this.#primary !== undefined) return 'primary'
    return this.#takeover === undefined ? undefined : 'takes over'
  }

  get backups(): readonly string[] {
    return this.#primary?.backups ?? []
  }

  get refusal(): Primary['refusal'] {
    return this.#primary?.refusal
  }

  hasFollower(id: string): boolean {
    return this.#primary?.hasFollower(id) === true
  }

  begin(reign: Reign): void {
    this.#primary?.end()
    this.#primary = undefined
    this.#takeover = new Takeover(this.#context, reign, { turn: this.#turns++, silent: this.#silent })
  }

  /** Ends the takeover or the reign: another replica is the winner, or this one closes. */
  end(): void {
    this.#primary?.end()
    this.#primary = undefined
    this.#takeover = undefined
    for (const { call } of this.#held.splice(0)) this.#context.answer(call, { moved: true })
  }

  call(call: ReplicaCall): void {
    if (this.#primary !== undefined) this.#primary.call(call)
    else this.#held.push(call)
  }

  forget(call: number): void {
    this.#held = this.#held.filter((each) => each.call !== call)
    this.#primary?.forget(call)
  }

  gone(member: string): void {
    this.#silent.delete(member)
    this.#takeover?.gone(member)
    this.#primary?.gone(member)
  }

  /** Handles the loss of messages to a member. */
  broken(member: string): void {
    this.#primary?.gone(member)
  }

  /** Whether `repeat` must be called later. */
  get isWaiting(): boolean {
    return this.#takeover !== undefined || this.#primary?.isWaiting === true
  }

  repeat(): void {
    this.#takeover?.repeat()
    this.#primary?.repeat()
  }

  /** Becomes the primary as soon as the takeover is complete. */
  review(): void {
    if (this.#takeover?.isComplete === true) this.#serve(this.#takeover)
  }

  /** Handles a message to the winner. */
  message(from: string, message: ReplicaMessage): void {
    const context = this.#context
    switch (message.type) {
      case 'position':
        this.#takeover?.position(from, message.wants, message.position)
        if (!message.wants) {
          context.ghosts.delete(from)
          this.#primary?.gone(from)
        } else if (this.#primary?.position(from, message.position) === false && this.#mayGive(from)) this.#takeOverAgain()
        else if (this.hasFollower(from)) this.#snapshots.end(from)
        return
      case 'ack':
        this.#primary?.acked(from, message.seq)
        return
      case 'log':
        this.#takeover?.log(from, message.entries, message.end)
        this.#primary?.log(from, message.entries, message.end)
        return
      case 'piece':
        if (this.#takeover?.piece(from, message) === true) this.#serve(this.#takeover)
        else this.#primary?.piece(from, message)
        return
      case 'retire':
        if (this.#primary?.retire(from) === true) context.send(from, { type: 'retired', reign: message.reign })
        else if (this.#primary?.hasFollower(from) === false) context.send(from, { type: 'hello', reign: message.reign })
        return
      case 'hello':
      case 'entries':
      case 'resync':
      case 'fetch':
      case 'wanted':
      case 'retired':
        return
    }
  }

  /** Takes over the state of another replica, which can't hand over its operations. */
  #takeOverAgain(): void {
    const { holder } = this.#context
    if (holder !== undefined) this.begin(holder)
  }

  /** A replica that announces more than it sends must not stop the service again and again. */
  #mayGive(replica: string): boolean {
    return (this.#silent.get(replica) ?? 0) < MAX_SILENT
  }

  #serve(takeover: Takeover): void {
    const context = this.#context
    this.#takeover = undefined
    this.#candidacy.hasState = true
    // No other replica has more, so this state counts, even if it is wrong.
    context.store.isWrong = false
    const primary = new Primary(context, takeover)
    this.#primary = primary
    for (const entry of takeover.orphans) primary.absorb(entry)
    for (const [id, position] of takeover.positions) {
      if (primary.position(id, position) || !this.#mayGive(id)) continue
      this.#takeOverAgain()
      return
    }
    for (const call of this.#held.splice(0)) primary.call(call)
    primary.repeat()
  }
}
