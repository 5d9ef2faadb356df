import type { ShellFault } from './shell-faults.ts'

const core = 'packages/compute/src/core'
const tries = { file: `${core}/tries.ts`, test: `${core}/tries.test.ts` }
const fitness = { file: `${core}/fitness.ts`, test: `${core}/fitness.test.ts` }
const losses = { file: `${core}/blame.ts`, test: `${core}/poison.test.ts` }
const ended = { test: `${core}/digest.test.ts` }
const speculation = { file: `${core}/speculative-execution.ts`, test: `${core}/speculative-execution.test.ts` }
const inputs = { file: `${core}/execution.ts`, test: `${core}/open-inputs.test.ts` }
const shared = { file: `${core}/shared-value.ts`, test: `${core}/scheduler.test.ts` }

/**
 * Faults of the core of computing: the blame for a loss, the remains of a finished job, stragglers,
 * and bounds.
 */
export const computeFaults: readonly ShellFault[] = [
  {
    ...tries,
    name: 'a crash that two members report counts twice',
    from: 'Math.max(countIn(left.crashes, member), countIn(right.crashes, member))',
    to: 'countIn(left.crashes, member) + countIn(right.crashes, member)',
  },
  {
    ...tries,
    name: 'a member that held a task twice counts as two holders',
    from: 'holders.filter((id) => id !== member)',
    to: 'holders',
  },
  {
    ...tries,
    name: 'crashes of a task are kept without bound',
    from: 'crashes: [...crashes, member].slice(-MAX_TRIES)',
    to: 'crashes: [...crashes, member]',
  },
  {
    ...fitness,
    name: 'failures of long ago still count',
    from: 'this.#failures = 0\n    this.#pause',
    to: 'this.#pause',
  },
  {
    ...fitness,
    name: 'the pause of a failing machine grows without bound',
    from: 'Math.min(MOST_PAUSE, pause * 2)',
    to: 'pause * 2',
  },
  {
    ...losses,
    name: 'one failing member sets tasks apart',
    file: `${core}/poison.ts`,
    from: '(at > 1 || isVoted || members.size === 1)',
    to: 'at > 0',
  },
  {
    ...losses,
    name: 'where members vote, reports of others set a task apart',
    file: `${core}/poison.ts`,
    from: 'isVoted ? crashes.filter((member) => member === self) : crashes',
    to: 'crashes',
  },
  {
    ...losses,
    name: 'living holders count as lost',
    file: `${core}/poison.ts`,
    from: '!members.has(member) && (',
    to: '(',
  },
  {
    ...losses,
    name: 'one death sets a task apart if one member is left',
    file: `${core}/poison.ts`,
    from: 'Math.max(MOST_LOST_OF_FEW, members.size)',
    to: 'members.size',
  },
  {
    ...ended,
    name: 'a failure replaces a value',
    file: `${core}/entry.ts`,
    from: "if (!('failure' in right.outcome)) return right",
    to: "if (!('failure' in right.outcome)) return left",
  },
  {
    ...ended,
    name: 'halves with different shared values take their results for equal',
    file: `${core}/digest.ts`,
    from: "${hash52(offers.join('\\n'))}",
    to: '',
  },
  {
    ...speculation,
    name: 'one member’s report keeps every task from being a straggler',
    from: 'Math.min(LONGEST_FACTOR * longest, eagerInnerFactor * mean)',
    to: 'LONGEST_FACTOR * longest',
  },
  {
    ...speculation,
    name: 'a parent is judged like a leaf',
    from: 'isParent ? eagerInnerFactor / eagerFactor : 1',
    to: 'isParent ? 1 : 1',
  },
  {
    ...speculation,
    name: 'only replicas repeat a task that a member waits for',
    from: 'jobs.some((job) => this.#repeatAwaited(job)) ? undefined : replica',
    to: 'replica',
    test: 'packages/simulator/src/grid/quiet-holder.test.ts',
  },
  {
    ...inputs,
    name: 'waiting inputs have no bound',
    from: 'if (job.open.bytes > this.#context.config.openBytes) {',
    to: 'if (job.open.bytes < 0) {',
  },
  {
    ...inputs,
    name: 'inputs of tasks with an outcome still count',
    file: `${core}/settlement.ts`,
    from: '    job.open.waits(frame, -node.inputSize)\n',
    to: '',
  },
  {
    ...shared,
    name: 'shared values above the limit are kept',
    from: 'united === left || fitsShared(united) ? united : undefined',
    to: 'united',
  },
  {
    name: 'the node that covers the end of a page is left out',
    file: `${core}/task-tree.ts`,
    from: 'if (child === undefined) return [...open, node]',
    to: 'if (child === undefined) return open',
    test: `${core}/task-tree.test.ts`,
  },
  {
    name: 'each part of a page asks for the next one',
    file: 'packages/compute/src/shell/message-parts.ts',
    from: "    delete first['next']\n",
    to: '',
    test: 'packages/compute/src/shell/wire.test.ts',
  },
  {
    name: 'a member that waits for a job does not hear of its cancellation',
    file: `${core}/job-end.ts`,
    from: "if (to !== this.#context.self) this.#context.send(to, { type: 'unknown', job: job.id, paths: [ROOT] })",
    to: 'void to',
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'two victims that name each other are asked forever',
    file: `${core}/lane.ts`,
    from: 'hint === undefined || this.#followed.has(hint) ? undefined : hint',
    to: 'hint',
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'a task that makes progress counts as too slow',
    file: `${core}/supervision.ts`,
    from: 'if (share !== node.progress) job.progressed(node, this.#context.now)',
    to: '',
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'a vote may be cast in the name of another member',
    file: 'packages/compute/src/shell/vote-signer.ts',
    from: 'if (!this.#pool.isSignedBy(member, keyStatement(bytes), certificate.subarray(KEY_BYTES))) return undefined',
    to: '',
    test: 'packages/compute/src/shell/vote-signer.test.ts',
  },
  {
    name: 'a blob is read before it counts as on its way',
    file: 'packages/compute/src/shell/blob-exchange.ts',
    from: 'size !== undefined && serve(size) ? await this.#store.get(hash) : undefined',
    to: '(await this.#store.get(hash)) && serve(size ?? 0) ? await this.#store.get(hash) : undefined',
    test: 'packages/compute/test/blob-exchange.test.ts',
  },
  {
    name: 'an aborted request frees its room before its read ends',
    file: 'packages/compute/src/shell/blob-exchange.ts',
    from: 'if (--open === 0) this.#served.delete(served)',
    to: 'this.#served.delete(served)',
    test: 'packages/compute/test/blob-exchange.test.ts',
  },
  {
    name: 'a new stream ignores the account of its peer',
    file: 'packages/compute/src/shell/peer-streams.ts',
    from: '    await this.#turn(from, closed)\n    for await',
    to: '    for await',
    test: 'packages/compute/test/peer-streams.test.ts',
  },
  {
    name: 'questions for files that nobody has do not wait',
    file: 'packages/compute/src/shell/blob-exchange.ts',
    from: 'if (index > 0) await this.#turn()',
    to: '',
    test: 'packages/compute/test/blob-exchange.test.ts',
  },
  {
    name: 'putting tiny blobs costs nothing',
    file: 'packages/compute/src/shell/blob-exchange.ts',
    from: 'if (wait > 0) await sleep(wait, undefined, { ref: false, signal: ended.signal })',
    to: 'void sleep(0 * wait)',
    test: 'packages/compute/test/blob-exchange.test.ts',
  },
  {
    name: 'tasks of a suspended job that wait later keep their processes',
    file: `${core}/execution.ts`,
    from: "    if (job.spec.desired === 'suspend') this.suspend(job)\n",
    to: '',
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'frames of any number of jobs wait at one worker',
    file: `${core}/parking.ts`,
    from: '< MAX_WAITING_JOBS',
    to: '< Infinity',
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'a parked frame begins again only after its last child',
    file: `${core}/parking.ts`,
    from: '} else if (!this.#due.has(node)) {',
    to: '} else if (this.#due.has(node)) {',
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'a parked frame misses the outcome of its child',
    file: `${core}/settlement.ts`,
    from: "if (frame?.state !== 'running' && frame?.state !== 'parked') return",
    to: "if (frame?.state !== 'running') return",
    test: `${core}/scheduler.test.ts`,
  },
  {
    name: 'messages of programs cost their job nothing',
    file: 'packages/compute/src/executors/process-container.ts',
    from: '(now - began) * unaskedOf(messages)',
    to: '0 * unaskedOf(messages)',
    test: 'packages/compute/test/program-floods.test.ts',
  },
  {
    name: 'pins of other containers count as abandoned',
    file: 'packages/compute/src/shell/pins.ts',
    from: 'Date.now() - changed > FOREIGN',
    to: 'Date.now() - changed > -FOREIGN',
    test: 'packages/compute/src/shell/blob-store.test.ts',
  },
  {
    name: 'a member that hands out the root chooses its input',
    file: `${core}/stealing.ts`,
    from: 'granted.path === ROOT ? job.rootTask : granted',
    to: 'granted',
    test: 'packages/simulator/src/grid/forged-input.test.ts',
  },
  {
    name: 'a victim names tasks without bound',
    file: `${core}/stealing.ts`,
    from: 'this.#context.quota.node(job, task.path, from, granted === task ? task.input.length : 0)',
    to: 'job.tree.ensure(task.path)',
    test: `${core}/granted-tasks.test.ts`,
  },
  {
    name: 'outcomes that lack votes take no room',
    file: `${core}/settlement.ts`,
    from: 'if (from === this.#context.self && node.parent !== undefined) job.tree.countBallots(node, from)',
    to: '',
    test: `${core}/ballot-bytes.test.ts`,
  },
  {
    name: 'a member that votes for the failure of a job keeps its tasks',
    file: `${core}/settlement.ts`,
    from: 'if (job.votesNeeded > 1) this.#jobEnd.stop(job)',
    to: '',
    test: `${core}/ballot-bytes.test.ts`,
  },
]
