import type { ShellFault } from './shell-faults.ts'

const core = 'packages/ledger/src/core'
const folder = 'packages/ledger/src/fold'
const exploration = `${core}/exploration.test.ts`
const histories = `${core}/histories.test.ts`
const directed = `${core}/ledger.test.ts`
const reading = `${core}/reader.test.ts`
const folding = `${folder}/fold.test.ts`
const election = { file: `${core}/election.ts` }
const following = { file: `${core}/following.ts` }
const replication = { file: `${core}/replication.ts` }
const configuration = { file: `${core}/configuration.ts` }
const changes = { file: `${core}/changes.ts` }
const ledger = { file: `${core}/ledger.ts` }
const store = { file: `${core}/store.ts` }
const reader = { file: `${core}/reader.ts` }
const state = { file: `${core}/state.ts` }
const requests = { file: `${core}/requests.ts` }
const fold = { file: `${folder}/fold.ts` }
const elections = { file: `${folder}/elections.ts` }

/** Each of these test files alone must find each of these faults. */
function foundBy(tests: readonly string[], faults: readonly Omit<ShellFault, 'test'>[]): ShellFault[] {
  return faults.flatMap((fault) =>
    tests.map((test, at) => ({ ...fault, test, name: at === 0 ? fault.name : `${fault.name}, by another net` })),
  )
}

/** Faults of the ledger. Each of two test files must find most of them. */
export const ledgerFaults: readonly ShellFault[] = [
  ...foundBy(
    [exploration, histories],
    [
      { ...election, name: 'a vote is told before it is synced', from: 'ok ? state.written : 0)', to: '0)' },
      {
        ...following,
        name: 'entries are acknowledged before they are synced',
        from: 'index: end.match, round }, state.written)',
        to: 'index: end.match, round }, 0)',
      },
      {
        ...replication,
        name: 'a leader counts itself before it has synced',
        from: 'leading.unsynced = [...leading.unsynced, { number, index: log.lastIndex }]',
        to: 'leading.match = number * 0 + log.lastIndex',
      },
      {
        ...election,
        name: 'a candidate counts its own vote before it is synced',
        from: "role === 'preCandidate' || synced >= ownVote",
        to: 'synced < ownVote || synced >= ownVote',
      },
      { ...following, name: 'a follower commits more than matches', from: 'Math.min(commit, end.match)', to: 'commit' },
      {
        ...election,
        name: 'a voter does not look at the log',
        from: 'isFree && state.log.isCurrent(lastIndex, lastTerm)',
        to: 'isFree && lastIndex + lastTerm >= 0',
      },
      {
        ...election,
        name: 'a voter votes as often as it is asked',
        from: 'state.votedFor === undefined || state.votedFor === from',
        to: "from !== ''",
      },
      {
        ...following,
        name: 'each page cuts the log behind it',
        from: '  return { match: prevIndex + entries.length }',
        to: '  log.cut(prevIndex + entries.length + 1)\n  return { match: prevIndex + entries.length }',
      },
      {
        ...changes,
        name: 'voters change without the joint step',
        from: 'change(state, [first, { seats: [...new Set(wanted)] }])',
        to: 'change(state, [{ seats: [...new Set(wanted)] }])',
      },
      {
        ...configuration,
        name: 'in the joint step the new group alone counts',
        from: 'groups.every((each) => isMajority(each, present))',
        to: 'groups.slice(-1).every((each) => isMajority(each, present))',
      },
      {
        ...election,
        name: 'only seats of the latest configuration stand',
        from: '!configurations.some((each) => hasSeat(each, seat))',
        to: '!configurations.slice(0, 1).some((each) => hasSeat(each, seat))',
      },
      {
        ...changes,
        name: 'a change of voters begins before the last one is settled',
        from: 'log.termAt(commit) !== term || index > commit',
        to: 'log.termAt(commit) !== term || index < 0',
      },
      {
        ...ledger,
        name: 'answers of an old term count',
        from: "message.term < state.term && message.type !== 'preVote'",
        to: "message.term < state.term && message.type !== 'preVote' && !('ok' in message)",
      },
      { ...store, name: 'a lost store keeps its seat', from: 'nonce: nonce() })', to: "nonce: nonce() && '0' })" },
      {
        ...ledger,
        name: 'a PreVote changes the term',
        from: "message.type === 'preVote' || (message.type === 'preVoted' && message.ok)",
        to: "message.type === 'preVoted' && message.ok",
      },
      {
        ...configuration,
        name: 'half of the ids found a ledger',
        from: '2 * new Set(voters.map(idOf)).size > (',
        to: '2 * new Set(voters.map(idOf)).size >= (',
      },
      {
        ...configuration,
        name: 'newcomers count in a founding',
        from: "isFounder(seat) && ('anyOf'",
        to: "isFounder(seat) !== undefined && ('anyOf'",
      },
    ],
  ),
  ...foundBy(
    [exploration, directed],
    [
      {
        ...replication,
        name: 'entries of an old term are committed by counting',
        from: 'log.termAt(index) === term && isQuorum',
        to: 'term > 0 && isQuorum',
      },
    ],
  ),
  ...foundBy(
    [reading, histories],
    [
      {
        ...reader,
        name: 'a reader takes a page that is not chained',
        from: 'added.length > 0 && added.at(-1)?.hash !== hash',
        to: "added.length > 0 && hash === ''",
      },
    ],
  ),
  ...foundBy(
    [directed, histories],
    [
      {
        ...replication,
        name: 'a snapshot begins anew with each newer one',
        from: 'progress.sending ??= { snapshot: state.log.snapshot, offset: 0 }',
        to: 'if (progress.sending?.snapshot !== state.log.snapshot) progress.sending = { snapshot: state.log.snapshot, offset: 0 }',
      },
      {
        ...replication,
        name: 'a seat that restarts in a snapshot waits for ever',
        from: 'progress.sending = { ...progress.sending, offset: 0 }',
        to: 'progress.sending = { ...progress.sending }',
      },
      { ...requests, name: 'a read is answered without a round', from: 'progress.round >= round', to: 'progress.round >= 0 * round' },
    ],
  ),
  ...foundBy(
    [folding],
    [
      { ...fold, name: 'a fold lets an id join twice', from: 'incarnation <= known.incarnation', to: 'incarnation < known.incarnation' },
      { ...fold, name: 'a closed pool takes one id too many', from: 'this.#nextRank >= this.#size', to: 'this.#nextRank > this.#size' },
      {
        ...elections,
        name: 'a reign outlives the life of its winner',
        from: '      events.push(...this.#end(election, id, index))\n',
        to: '',
      },
      {
        ...elections,
        name: 'a withdrawal that is late ends a newer candidacy',
        from: 'sequence < known.sequence || !known.isStanding',
        to: '!known.isStanding',
      },
      {
        ...fold,
        name: 'an ordered message counts twice',
        from: 'number !== (this.#numbers.get(id) ?? 0) + 1',
        to: 'number > (this.#numbers.get(id) ?? 0) + 1',
      },
    ],
  ),
  ...foundBy(
    [folding],
    [{ ...fold, name: 'a snapshot of the fold lacks the numbers of messages', from: 'numbers: [...this.#numbers],', to: 'numbers: [],' }],
  ),
  ...foundBy(
    [directed],
    [
      {
        ...following,
        name: 'a fork is taken for a usual difference',
        from: "log.hashAt(prevIndex) !== prevHash) return 'fork'",
        to: "log.hashAt(prevIndex) === '') return 'fork'",
      },
      {
        ...following,
        name: 'a fork cuts what is committed',
        from: "if (first <= state.commit || log.termAt(first) === entries[differing]?.term) return 'fork'",
        to: '',
      },
      { ...replication, name: 'a leader without a quorum leads on', from: 'now - heardAt <= QUORUM', to: 'now - heardAt <= QUORUM * 100' },
      { ...ledger, name: 'a seat goes on after a write that failed', from: "        state.stop('LEDGER_WRITE_FAILED')\n", to: '' },
    ],
  ),
  ...foundBy(
    [`${core}/founding.test.ts`],
    [
      { ...state, name: 'all founders stand at once', from: 'each < this.seat).length', to: 'each === this.seat).length' },
      {
        ...election,
        name: 'a founder that sees more of them keeps its former turn',
        from: "state.timers.set('stand', state.now + turns + TURN)",
        to: "state.timers.advance('stand', state.now + turns + TURN)",
      },
      {
        ...election,
        name: 'late grants of a PreVote are lost',
        from: "role === 'preCandidate' && state.role === role &&",
        to: 'state.term < 0 &&',
      },
      { ...election, name: 'a seat that comes and goes stops a founding', from: 'turns > state.longestTurns', to: 'turns > 0' },
      { ...election, name: 'a refusal leaves a grant', from: 'state.grants.delete(from)', to: 'state.grants.add(from)' },
      { ...state, name: 'founders wait for readers', from: 'this.seen.filter((each) => hasSeat(founding, each))', to: '[...this.seen]' },
      { ...state, name: 'founders wait for ever', from: 'DIAL, MAX_TURNS)', to: 'DIAL, Infinity)' },
    ],
  ),
  ...foundBy(
    [directed],
    [
      { ...requests, name: 'what is asked again is appended again', from: 'isSame(entry, other)))', to: 'entry === other))' },
      {
        ...replication,
        name: 'a silent seat gets its entries with each heartbeat',
        from: 'sendPage(state, to, progress, 0)',
        to: 'sendPage(state, to, progress)',
      },
    ],
  ),
]
