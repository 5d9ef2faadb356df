import type { ShellFault } from './shell-faults.ts'

const replica = { test: 'packages/service/src/core/replica.test.ts' }
const sides = { test: 'packages/service/src/core/sides.test.ts' }
const taking = { test: 'packages/service/src/core/takeover.test.ts' }
const wrong = { test: 'packages/service/src/core/wrong-replica.test.ts' }
const backup = { ...replica, file: 'packages/service/src/core/backup.ts' }
const winner = { ...replica, file: 'packages/service/src/core/winner.ts' }
const primary = { ...replica, file: 'packages/service/src/core/primary.ts' }
const followers = { ...replica, file: 'packages/service/src/core/followers.ts' }
const takeover = { ...replica, file: 'packages/service/src/core/takeover.ts' }
const acceptance = { ...sides, file: 'packages/service/src/core/acceptance.ts' }
const handOvers = { ...sides, file: 'packages/service/src/core/hand-overs.ts' }
const inbound = { file: 'packages/channel/src/inbound.ts', test: 'packages/channel/src/inbound.test.ts' }
const openBytes = { file: 'packages/service/src/shell/open-bytes.ts', test: 'packages/service/src/shell/open-bytes.test.ts' }
const store = { file: 'packages/service/src/core/store.ts', test: 'packages/service/src/core/store.test.ts' }
const history = { file: 'packages/service/src/core/history.ts', test: 'packages/service/src/core/store.test.ts' }

/** Faults of services. One test file must find each. */
export const serviceFaults: readonly ShellFault[] = [
  {
    ...primary,
    name: 'a primary answers before its backups have the operation',
    from: 'this.#followers.committed() ?? (options.alone ? store.seq : this.#committed)',
    to: 'store.seq',
  },
  {
    ...primary,
    name: 'a repeated operation is applied again',
    from: 'const kept = this.#context.store.resultOf(call.caller, call.key)\n    if (kept',
    to: 'const kept = this.#context.store.resultOf(call.caller, `${call.key} `)\n    if (kept',
  },
  {
    ...takeover,
    ...taking,
    name: 'a winner serves before it has heard the others',
    from: 'if (mayWait && instances.some(',
    to: 'if (!mayWait && instances.some(',
  },
  {
    ...primary,
    ...sides,
    name: 'a backup may go while it has operations of another side',
    from: 'if (!this.#followers.synced.includes(member)) return false',
    to: '',
  },
  {
    ...winner,
    ...sides,
    name: 'a winner that takes over again goes on with the same list of operations',
    from: 'turn: this.#turns++',
    to: 'turn: this.#turns',
  },
  {
    ...primary,
    name: 'the log is trimmed beside a snapshot on its way',
    from: 'this.#followers.slowest ?? Infinity, snapshotSeq())',
    to: 'this.#followers.slowest ?? Infinity)',
  },
  {
    ...followers,
    name: 'a primary waits for a silent replica for ever',
    from: 'now - follower.movedAt > REPLICA_TIMEOUT',
    to: 'now - follower.movedAt > 1e9',
  },
  {
    ...primary,
    ...sides,
    name: 'the callers of operations that were applied again are not told after the next takeover',
    from: 'if (entry.orphan !== undefined) this.#pending.push({ seq: entry.seq, entry })',
    to: 'if (entry.seq < 0) this.#pending.push({ seq: entry.seq, entry })',
  },
  {
    ...backup,
    name: 'the time of a service is the calendar of its primary',
    from: '    context.offset = time - context.now\n',
    to: '',
  },
  {
    ...history,
    name: 'a side that can no longer hand its operations over yields',
    from: 'return canHandOver ? -1 : 1',
    to: 'return canHandOver ? 1 : -1',
  },
  {
    ...store,
    name: 'a refused operation leaves a trace in a large state',
    from: 'this.#run(before === undefined ? this.#state : JSON.parse(before), ',
    to: 'this.#run(this.#state, ',
  },
  {
    ...store,
    name: 'a failed operation counts as another outcome at a backup',
    from: 'isError ? error !== undefined : ',
    to: '',
  },
  {
    ...store,
    name: 'the log of a backup is never cut',
    from: 'if (this.#log.isTooLong) this.cut(CUT_BYTES)',
    to: '',
  },
  {
    ...store,
    file: 'packages/service/src/core/state-size.ts',
    name: 'a state that grows fast is measured as rarely as others',
    from: 'const isFast = bytes - before > MEASURE_BYTES',
    to: 'const isFast = false',
  },
  {
    file: 'packages/service/src/core/value.ts',
    test: 'packages/service/src/core/store.test.ts',
    name: 'an error without a text ends the primary',
    from: "return 'an error without a text'",
    to: 'throw error',
  },
  {
    ...sides,
    file: 'packages/service/src/core/merging.ts',
    name: 'a merge that fails stops a takeover',
    from: 'return undefined\n',
    to: 'throw error\n',
  },
  {
    ...handOvers,
    name: 'a merge that fails loses the operations of the other side',
    from: 'if (entry.seq >= next) this.absorb(entry)',
    to: 'void entry',
  },
  {
    ...sides,
    file: 'packages/service/src/core/merging.ts',
    name: 'a merge that fails has changed the states',
    from: 'merge?.(copyOf(ours), copyOf(theirs))',
    to: 'merge?.(ours, theirs)',
  },
  {
    ...wrong,
    file: 'packages/service/src/core/store.ts',
    name: 'a wrong state counts as a right one',
    from: 'if (!isSame) this.isWrong = true',
    to: '',
  },
  {
    ...winner,
    ...wrong,
    name: 'the primary waits for a replica whose state is wrong',
    from: 'this.#primary?.gone(from)\n        }',
    to: '}',
  },
  {
    ...backup,
    ...wrong,
    name: 'a replica that is always wrong takes snapshots all the time',
    from: 'Math.min(Math.max(REPEAT, 2 * this.#pause), LONGEST_PAUSE)',
    to: '0',
  },
  {
    ...wrong,
    file: 'packages/service/src/core/snapshots.ts',
    name: 'a member gets as many snapshots as it asks for',
    from: 'else if (++begun.count > BEGINS) return false',
    to: '',
  },
  {
    file: 'packages/channel/src/outbound.ts',
    test: 'packages/channel/test/channels.test.ts',
    name: 'a kept stream that breaks is not opened again',
    from: '(this.isEmpty && !this.#to.isKept())',
    to: 'this.isEmpty',
  },
  {
    ...inbound,
    name: 'a member is forgotten after thousands of others have come',
    from: 'if (id !== newest && !this.#isMember(id)) ',
    to: 'if (id !== newest) ',
  },
  {
    ...inbound,
    name: 'a message whose handling failed is repeated for ever',
    from: 'received.handled = Math.max(received.handled, number)',
    to: '',
  },
  {
    file: 'packages/channel/src/channels.ts',
    test: 'packages/channel/test/channels.test.ts',
    name: 'a stream that was only kept open counts as lost messages',
    from: 'if (isLoss) this.#options',
    to: 'void isLoss\n    this.#options',
  },
  {
    file: 'packages/service/src/core/directory.ts',
    test: 'packages/service/src/core/store.test.ts',
    name: 'the senior backup is the candidate with the greatest id',
    from: 'member.id < senior)',
    to: 'member.id > senior)',
  },
  {
    file: 'packages/service/src/shell/replica-host.ts',
    test: 'packages/service/test/replicated.test.ts',
    name: 'a senior backup dials the other instances in its takeover',
    from: 'if (!this.#end.signal.aborted) peers.keep(this.#name, kept)',
    to: 'void kept',
  },
  {
    file: 'packages/service/src/client.ts',
    test: 'packages/service/test/replicated.test.ts',
    name: 'a caller dials the next primary after the death of the former',
    from: 'if (primary !== undefined && senior !== undefined && senior !== this.#pool.self.id) ',
    to: 'if (primary === senior && senior !== undefined) ',
  },
  {
    ...acceptance,
    name: 'an operation is refused while the only backup is taken for dead for a moment',
    from: 'if ((others > 0 || ghosts.size > 0) && ',
    to: 'if (others > 0 && ',
  },
  {
    ...handOvers,
    name: 'a caller hears of an operation as the program has changed it',
    from: 'operation: structuredClone(operation) }',
    to: 'operation }',
  },
  {
    file: 'packages/service/src/core/pauses.ts',
    test: 'packages/service/src/core/pauses.test.ts',
    name: 'a new primary pays for the time without one',
    from: 'if (primary !== undefined && primary !== this.#former) ',
    to: 'if (this.#former === undefined) ',
  },
  {
    ...openBytes,
    name: 'the calls of many members together have no bound',
    from: 'bytes > 0 && this.#all >= MAX_BYTES_OF_ALL',
    to: 'bytes < 0',
  },
  {
    ...openBytes,
    name: 'a member is not told that others have made room',
    from: 'wasFull ? this.#members.values() : [open]',
    to: '[open]',
  },
  {
    ...acceptance,
    name: 'each call waits for a backup, however long there is none',
    from: 'Math.min(since, Math.max(beganAt, changedAt))',
    to: 'since',
  },
  {
    ...acceptance,
    file: 'packages/service/src/core/replica.ts',
    name: 'calls do not wait for a newcomer that will be a backup',
    from: 'if (ended.length > 0 || ids.some((id) => !before.includes(id))) this.#context.changedAt = this.#context.now',
    to: '',
  },
  {
    ...takeover,
    ...taking,
    name: 'a winner does not ask a replica again that states its operations again',
    from: 'if (from === this.#best && this.#fetch === undefined) this.#stop()',
    to: '',
  },
  {
    ...takeover,
    ...taking,
    name: 'a takeover waits for ever for operations whose question was not read',
    from: '?? this.#context.now - this.#movedAt > REPLICA_TIMEOUT',
    to: '?? false',
  },
  {
    ...takeover,
    ...taking,
    name: 'a replica that states operations and gives none stops a service',
    file: 'packages/service/src/core/winner.ts',
    from: '< MAX_SILENT',
    to: '< 1e9',
  },
  {
    ...handOvers,
    ...taking,
    name: 'a primary waits for ever for operations of another side whose question was not read',
    from: '?? now - askedAt > time',
    to: '?? false',
  },
  {
    ...store,
    name: 'the log has no results',
    from: "isError ? 'null' : text))",
    to: "'null'))",
  },
  {
    file: 'packages/service/src/shell/service-node.ts',
    test: 'packages/service/test/ogsa.slow.test.ts',
    name: 'a service that is closed is still stated',
    from: 'await this.state(name, undefined).catch(() => {})',
    to: '',
  },
  {
    file: 'packages/service/examples/instances.ts',
    test: 'packages/service/test/ogsa.slow.test.ts',
    name: 'a lifetime is not extended',
    from: 'Math.max(instance.endsAt, now + within(operation.for))',
    to: 'instance.endsAt',
  },
]
