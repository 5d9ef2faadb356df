/** A fault of one place, and who must find it. */
export interface Fault {
  readonly name: string
  /** Below packages/protocol/src. */
  readonly file: string
  /** Stands there exactly once. */
  readonly from: string
  readonly to: string
  /**
   * What fails with it beside the unit tests: a shipped scenario, with the arguments of `jel simulate`; a file of packages/simulator/test, with those
   * of vitest; or `sim:check`. Undefined: no simulation finds it yet.
   */
  readonly simulation?: readonly [name: string, ...args: string[]]
}

const halves = [
  'partition-heal',
  '--set',
  'nodes=24',
  '--set',
  'actions=[{ at: 30s, partition: 50%, for: 2m }]',
  '--set',
  'duration=4m',
] as const

/** Sorted by the part that they are planted in. The order in which they are tried. */
export const faults: readonly Fault[] = [
  {
    name: 'merge ignores incarnations',
    file: 'facts/membership-view.ts',
    from: 'if (fact.incarnation > present.incarnation) return true',
    to: 'if (fact.incarnation > present.incarnation) return false',
    simulation: [...halves, '--seeds', '1'],
  },
  {
    name: 'left does not outweigh died',
    file: 'facts/membership-view.ts',
    from: "return present.says === 'joined' || (fact.says === 'left' && present.says === 'died')",
    to: "return present.says === 'joined'",
    simulation: ['ends.test.ts', '-t', 'one half holds'],
  },
  {
    name: 'tombstones never expire',
    file: 'facts/tombstones.ts',
    from: 'if (age >= lifetime) this.#forget(fact)',
    to: 'if (age < 0) this.#forget(fact)',
  },
  {
    name: 'tombstones are dropped after 60 s',
    file: 'facts/tombstones.ts',
    from: 'return this.#config.tombstones.lifetime',
    to: 'return 60_000',
    simulation: ['ends.test.ts', '-t', 'was away'],
  },
  {
    name: 'no signature check on facts',
    file: 'intake.ts',
    from: 'if (fact.isTrue(this.#context.codec)) return',
    to: 'if (fact.key !== undefined) return',
    simulation: ['hostile-forgeries', '--seeds', '1'],
  },
  {
    name: 'no refutation',
    file: 'detection/refutations.ts',
    from: 'if (content.incarnation !== this.#incarnation) return undefined\n    const published',
    to: 'if (content.incarnation > 0) return undefined\n    const published',
    simulation: ['flapping-link', '--seeds', '1..2'],
  },
  {
    name: 'refutations are not published from a timer',
    file: 'detection/failure-detector.ts',
    from: 'return this.#suspicions.size === 0 && this.#refutations.nextDue === Infinity',
    to: 'return this.#suspicions.size === 0',
  },
  {
    name: 'a proof that only this node has is kept to itself',
    file: 'detection/accusations.ts',
    from: 'else if (proof !== undefined && proof.content.beat > beat',
    to: 'else if (proof !== undefined && proof.content.beat > beat + 1e9',
    simulation: ['three-sites-unequal', '--set', 'expect=[noLifeEnds]', '--seeds', '60'],
  },
  {
    name: 'no time for a refutation',
    file: 'detection/accusations.ts',
    from: 'suspicion.judgedFrom = this.#context.now + this.#refutationTime',
    to: 'suspicion.judgedFrom = this.#context.now - 9_999',
    simulation: ['nat.test.ts', '-t', 'quarter stands behind a NAT, seed 2'],
  },
  {
    name: 'an accuser does not say so to the pool',
    file: 'detection/accusations.ts',
    from: 'this.#tell(factOf({ statement: own }))',
    to: 'void own',
    simulation: ['sim:check'],
  },
  {
    name: 'an accused member that was proven to live is accused again at once',
    file: 'detection/failure-detector.ts',
    from: 'const standDown = 8_000',
    to: 'const standDown = 0',
    simulation: ['three-sites-unequal', '--set', 'expect=[noLifeEnds]', '--seeds', '14'],
  },
  {
    name: 'helpers are not asked',
    file: 'detection/indirect-probes.ts',
    from: 'if (helpers.length > 0) this.#ask(id, round, helpers)\n    else this.#finish(id, this.#missedBy(id, round) > 0)',
    to: 'this.#finish(id, helpers.length > 0)',
    simulation: ['sim:check'],
  },
  {
    name: 'a silent host is asked for through six links only',
    file: 'detection/failure-detector.ts',
    from: "wantsAll: (id: NodeId) => suspicions.get(id)?.evidence !== 'refused'",
    to: "wantsAll: (id: NodeId) => id === ''",
    simulation: ['three-sites-unequal', '--set', 'expect=[noLifeEnds]', '--seeds', '2'],
  },
  {
    name: 'a helper tells from memory for ever',
    file: 'detection/beats.ts',
    from: 'const fresh = 1_000',
    to: 'const fresh = 1_000_000_000',
    simulation: ['three-sites', '--seeds', '1..2'],
  },
  {
    name: 'a receiver takes one accuser',
    file: 'detection/quorum.ts',
    from: 'return majorityOf(others)',
    to: 'return Math.min(1, others)',
  },
  {
    name: 'a certifier takes one accuser',
    file: 'detection/accusations.ts',
    from: 'const needed = Math.max(quorum.toCertify(suspicion.id), isGenerous ? quorum.toBelieve(suspicion.id) : 0)',
    to: 'const needed = quorum.toCertify(suspicion.id) > 0 && isGenerous ? 1 : 1',
    simulation: ['sim:check'],
  },
  {
    name: 'accusations of any time go together',
    file: 'facts/certificate.ts',
    from: 'export const beatWindow = 90',
    to: 'export const beatWindow = 1e9',
  },
  {
    name: 'a cut-off node convicts',
    file: 'detection/failure-detector.ts',
    from: 'if (view.size <= smallPool || isSure) {',
    to: 'if (view.size > 0 || isSure) {',
    simulation: ['hostile-ages', '--seeds', '1'],
  },
  {
    name: 'a stall does not shift suspicions',
    file: 'detection/direct-probes.ts',
    from: 'suspicion.since += lateness',
    to: 'suspicion.since += lateness * 0',
  },
  {
    name: 'all observers get the same turn',
    file: 'detection/probe-turns.ts',
    from: 'while (this.#isDealt(turn)) turn += period / 4',
    to: 'while (turn < now && this.#isDealt(turn)) turn += period / 4',
    simulation: ['three-sites', '--seeds', '1..2'],
  },
  {
    name: 'frames are not gathered on a slow machine',
    file: 'detection/outbox.ts',
    from: 'Math.max(gatherTime, Math.min(this.#busyness(), longestGather))',
    to: 'gatherTime',
    simulation: ['busy-heal', '--seeds', '1..16', '--workers', '2'],
  },
  {
    name: 'a batch drops its last',
    file: 'dissemination/broadcaster.ts',
    from: 'this.publish(batch.slice(0, batchSize))',
    to: 'this.publish(batch.slice(0, -1))',
    simulation: ['conformance.test.ts', '-t', 'seed 1.*dying'],
  },
  {
    name: 'a lost offer is not asked again',
    file: 'dissemination/lazy-push.ts',
    from: 'if (now < entry[1].since + askAgain) break',
    to: 'if (now < entry[1].since + 1e12) break',
    simulation: ['elections-heal.test.ts'],
  },
  {
    name: 'reconciliation skips a range',
    file: 'dissemination/reconcile.ts',
    from: 'if (mine.count === range.count && equal(range.fingerprint, mine)) return to',
    to: 'if (mine.count === range.count || equal(range.fingerprint, mine)) return to',
    simulation: ['conformance.test.ts', '-t', 'seed 1.*leaving'],
  },
  {
    name: 'heal off',
    file: 'topology/heal.ts',
    from: 'if (member === undefined) return\n    if (member.id === this.#contested) this.#contested = undefined',
    to: 'if (member !== undefined || member === undefined) return\n    if (member.id === this.#contested) this.#contested = undefined',
    simulation: [...halves, '--seeds', '1'],
  },
  {
    name: 'a contested death waits for its turn',
    file: 'topology/heal.ts',
    from: 'if (!isTurn && this.#contested === undefined) return',
    to: 'if (!isTurn) return',
  },
  {
    name: 'persist skipped',
    file: 'life/own-life.ts',
    from: "if (incarnation > this.#incarnation) effects.push({ type: 'persist', incarnation })",
    to: "if (incarnation > this.#incarnation + 1e9) effects.push({ type: 'persist', incarnation })",
    simulation: ['conformance.test.ts', '-t', 'seed 1.*joining'],
  },
  {
    name: 'epoch ignored',
    file: 'election/order.ts',
    from: 'if (a.content.epoch !== b.content.epoch) return a.content.epoch - b.content.epoch',
    to: 'if (a.content.epoch < 0) return a.content.epoch - b.content.epoch',
    simulation: ['conformance.test.ts', '-t', 'seed 1.*electing'],
  },
  {
    name: 'the later life loses a tie of claims',
    file: 'election/order.ts',
    from: 'return a.content.incarnation - b.content.incarnation || a.content.sequence - b.content.sequence || compareSignatures(a, b)\n}\n\n/** Any',
    to: 'return b.content.incarnation - a.content.incarnation || a.content.sequence - b.content.sequence || compareSignatures(a, b)\n}\n\n/** Any',
    simulation: ['elections-tie.test.ts'],
  },
  {
    name: 'a lower id unseats a winner',
    file: 'election/election.ts',
    from: 'if (this.#isReigned) return this.#winner === this.#context.id ? this.#confirmAt : Infinity',
    to: 'if (this.#isReigned && this.#rank !== 0) return this.#winner === this.#context.id ? this.#confirmAt : Infinity',
    simulation: ['elections-tie.test.ts'],
  },
  {
    name: 'a claim without reconciliation',
    file: 'election/election.ts',
    from: 'return isAlone || reconciledAt >= since ? this.#settledAt + rank * turn : Infinity',
    to: 'return isAlone || reconciledAt >= -since ? this.#settledAt + rank * turn : Infinity',
    simulation: ['elections-reconcile-first.test.ts'],
  },
  {
    name: 'an epoch jump under a living winner',
    file: 'election/election.ts',
    from: 'const isUnseating = this.#isReigned && statement.signer !== this.#winner',
    to: "const isUnseating = this.#isReigned && statement.signer === ''",
    simulation: ['hostile-epochs', '--seeds', '1'],
  },
  {
    name: "a claim's evidence ignored",
    file: 'election/election.ts',
    from: 'facts: end === undefined ? [claim] : [end, claim] })',
    to: 'facts: end === undefined ? [claim] : [claim] })',
  },
  {
    name: 'a winner does not confirm its reign',
    file: 'election/election.ts',
    from: 'this.#confirmAt = Math.min(this.#confirmAt, this.#context.now + turn)',
    to: 'this.#confirmAt = Infinity',
  },
  {
    name: 'a silent candidate is waited for',
    file: 'election/election.ts',
    from: 'this.#settledAt + rank * turn : Infinity',
    to: 'this.#settledAt + rank * 1e12 : Infinity',
    simulation: ['hostile-silent-candidate', '--seeds', '1'],
  },
  {
    name: 'a new version of a statement is ignored',
    file: 'facts/membership-view.ts',
    from: "if (fact.says === 'joined') return present.says === 'joined' && isLaterStatement(fact, present)",
    to: "if (fact.says === 'joined') return false",
    simulation: ['address-change', '--seeds', '1'],
  },
  {
    name: 'a false age is believed',
    file: 'facts/tombstones.ts',
    from: 'if (born - (this.#facts.born(present) ?? born) <= ageSlack) return',
    to: 'if (born > -Infinity) return',
  },
  {
    name: 'reconnecting fills the budgets',
    file: 'context/budgets.ts',
    from: 'if (known !== undefined) return known',
    to: 'if (known !== undefined && now < 0) return known',
    simulation: ['hostile-reconnects', '--seeds', '1'],
  },
  {
    name: 'members beyond the limit are taken in',
    file: 'intake.ts',
    from: "return this.#context.budgets.spend(source, 'newcomers', this.#context.now, 1, { own: view.size, strangers: 0 })",
    to: "return this.#context.budgets.spend(source, 'newcomers', this.#context.now, 1, { own: view.size, strangers: 0 }) || true",
    simulation: ['hostile-reconnects', '--seeds', '1'],
  },
  {
    name: 'who stands again has the same candidacy',
    file: 'election/election.ts',
    from: 'sequence: (this.#mine?.sequence ?? 0) + 1, since',
    to: 'sequence: this.#mine?.sequence ?? 1, since',
    simulation: ['stand-again', '--seeds', '1'],
  },
  {
    name: 'a leave is told to nobody',
    file: 'node.ts',
    from: 'this.#parts.broadcaster.leave(fact)',
    to: 'void fact',
    simulation: ['conformance.test.ts', '-t', 'seed 1.*leaving'],
  },
  {
    name: 'links are never closed as surplus',
    file: 'topology/link-maintenance.ts',
    from: 'let surplus = links.size - config.links.max',
    to: 'let surplus = links.size - config.links.max * 1_000',
    simulation: ['flash-crowd', '--seeds', '1'],
  },
]
