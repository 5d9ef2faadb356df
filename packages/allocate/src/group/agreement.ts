/** A message about one agreement. */
export type AgreementMessage<Report, Decision> = { readonly report: Report } | { readonly decided: Decision }

/** A message for another member. */
export interface AgreementSend<Report, Decision> {
  readonly to: string
  readonly message: AgreementMessage<Report, Decision>
}

/** Returns the decision of a leader. `reports` has the reports of all members that are not gone. */
export type Decide<Report, Decision> = (reports: ReadonlyMap<string, Report>) => Decision

/**
 * A fixed list of members agrees on one decision (a rotating coordinator). The first member that is
 * not gone is the leader. It waits for a report of each member, decides, and sends the decision to
 * all. If it dies, the next member becomes the leader. A member that knows the decision reports it
 * to the new leader, which adopts it. So all survivors decide the same, on these conditions:
 * members fail only by a crash, each message arrives unless its receiver is gone, and all members
 * are told of each death.
 */
export class Agreement<Report, Decision> {
  readonly #self: string
  readonly #members: readonly string[]
  readonly #decide: Decide<Report, Decision>
  readonly #gone = new Set<string>()
  readonly #reports = new Map<string, AgreementMessage<Report, Decision>>()
  #decision: { readonly value: Decision } | undefined

  constructor(self: string, members: readonly string[], decide: Decide<Report, Decision>) {
    this.#self = self
    this.#members = members
    this.#decide = decide
  }

  /** Undefined: nothing is decided yet. */
  get decision(): { readonly value: Decision } | undefined {
    return this.#decision
  }

  /** The members whose messages this member waits for. */
  get awaited(): readonly string[] {
    if (this.#decision !== undefined || !this.#reports.has(this.#self)) return []
    const leader = this.#leader()
    if (leader !== this.#self) return [leader]
    return this.#members.filter((each) => !this.#gone.has(each) && !this.#reports.has(each))
  }

  /** Sets the report of this member. While there is no decision, a later report replaces it. */
  report(report: Report): AgreementSend<Report, Decision>[] {
    if (this.#decision !== undefined) return []
    this.#reports.set(this.#self, { report })
    return [...this.#toLeader(), ...this.#lead()]
  }

  /** Sends the report again: the leader may not have known of the agreement before. */
  again(): AgreementSend<Report, Decision>[] {
    return this.#decision === undefined ? this.#toLeader() : []
  }

  take(from: string, message: AgreementMessage<Report, Decision>): AgreementSend<Report, Decision>[] {
    const at = this.#members.indexOf(from)
    if (at === -1 || this.#gone.has(from)) return []
    // Nobody can have decided before the first leader, so this message is false.
    if (this.#members[0] === this.#self && 'decided' in message) return []
    const leader = this.#leader()
    if (leader !== this.#self && 'decided' in message) {
      // A decision of a former leader is too late: this member has reported to the next leader
      // already.
      if (at >= this.#members.indexOf(leader)) this.#decision ??= { value: message.decided }
      return []
    }
    if (this.#decision !== undefined) return 'report' in message ? [{ to: from, message: { decided: this.#decision.value } }] : []
    this.#reports.set(from, message)
    return this.#lead()
  }

  /** Decides, if this member is the leader, even if some reports are missing. */
  decide(value: Decision): AgreementSend<Report, Decision>[] {
    if (this.#decision !== undefined || this.#leader() !== this.#self) return []
    this.#decision = { value }
    return this.#tellAll(value)
  }

  /** Another member is gone: it died, left, or takes no part any more. */
  gone(member: string): AgreementSend<Report, Decision>[] {
    if (this.#gone.has(member) || member === this.#self) return []
    const former = this.#leader()
    this.#gone.add(member)
    const isNew = former !== this.#leader()
    if (this.#leader() !== this.#self) return isNew ? this.#toLeader() : []
    if (isNew && this.#decision !== undefined) return this.#tellAll(this.#decision.value)
    return this.#lead()
  }

  #leader(): string {
    return this.#members.find((each) => !this.#gone.has(each)) ?? this.#self
  }

  #toLeader(): AgreementSend<Report, Decision>[] {
    const leader = this.#leader()
    if (leader === this.#self) return []
    const message = this.#decision === undefined ? this.#reports.get(this.#self) : { decided: this.#decision.value }
    return message === undefined ? [] : [{ to: leader, message }]
  }

  #lead(): AgreementSend<Report, Decision>[] {
    if (this.#decision !== undefined || this.#leader() !== this.#self) return []
    const living = this.#members.filter((each) => !this.#gone.has(each))
    if (!living.every((each) => this.#reports.has(each))) return []
    const reports = new Map<string, Report>()
    for (const each of living) {
      const message = this.#reports.get(each) as AgreementMessage<Report, Decision>
      if ('decided' in message) {
        this.#decision = { value: message.decided }
        return this.#tellAll(message.decided)
      }
      reports.set(each, message.report)
    }
    return this.decide(this.#decide(reports))
  }

  #tellAll(value: Decision): AgreementSend<Report, Decision>[] {
    return this.#members.filter((each) => each !== this.#self && !this.#gone.has(each)).map((to) => ({ to, message: { decided: value } }))
  }
}
