/**
 * A fault that one test file must find, without a scenario of `jel simulate`. No scenario covers
 * the faulty code (control sockets, keys, the page, handlers, queries), or the fault breaks a rule
 * that the test file checks. A few of the test files simulate a grid.
 */
export interface ShellFault {
  readonly name: string
  /** The path from the root of the repository. */
  readonly file: string
  /** Text that occurs in the file exactly once. */
  readonly from: string
  readonly to: string
  /** The test file that must fail. */
  readonly test: string
}

const sockets = { file: 'apps/node/src/base/local-sockets.ts', test: 'apps/node/src/base/local-sockets.test.ts' }
const keys = { file: 'packages/overlay/src/identity/pool-keys.ts', test: 'packages/overlay/src/identity/pool-keys.test.ts' }
const identity = { file: 'packages/overlay/src/identity/file-identity.ts', test: 'packages/overlay/src/identity/file-identity.test.ts' }
const feed = { file: 'apps/node/src/http/feed.ts', test: 'apps/node/src/http/feed.test.ts' }
const handlers = { file: 'apps/node/src/handlers/handler-runs.ts', test: 'apps/node/src/handlers/handlers.test.ts' }
const questions = { file: 'packages/jel/src/queries/pending-queries.ts', test: 'packages/jel/src/queries/queries.test.ts' }
const persistent = {
  file: 'packages/compute/src/program/persistent-command.ts',
  test: 'packages/compute/test/persistent-command.test.ts',
}
const relays = { file: 'packages/overlay/src/relay/relay-service.ts', test: 'packages/overlay/src/relay/relay-service.test.ts' }
const accounts = { file: 'packages/overlay/src/relay/accounts.ts', test: 'packages/overlay/src/relay/accounts.test.ts' }
const paths = { file: 'packages/overlay/src/relay/paths.ts', test: 'packages/overlay/src/relay/paths.test.ts' }
const checks = { file: 'packages/overlay/src/reach/reach-checks.ts', test: 'packages/overlay/src/reach/reach-checks.test.ts' }
const ownReach = { file: 'packages/overlay/src/reach/own-reach.ts', test: 'packages/overlay/src/reach/own-reach.test.ts' }
const punches = { file: 'packages/overlay/src/relay/hole-punches.ts', test: 'packages/overlay/src/relay/hole-punches.test.ts' }
const origins = { file: 'packages/overlay/src/web/origins.ts', test: 'packages/overlay/src/web/web.test.ts' }
const workers = {
  file: 'packages/compute/src/platform/browser/worker-container.ts',
  test: 'packages/compute/src/platform/browser/worker-container.test.ts',
}
const memoryBlobs = {
  file: 'packages/compute/src/platform/browser/memory-blob-store.ts',
  test: 'packages/compute/src/platform/browser/memory-blob-store.test.ts',
}
const largeResults = { test: 'packages/compute/test/large-results.test.ts' }
const answers = { file: 'packages/jel/src/queries/answers.ts', test: 'packages/jel/src/queries/queries.test.ts' }

export const shellFaults: readonly ShellFault[] = [
  {
    ...sockets,
    name: 'a symbolic link is taken for the folder of control sockets',
    from: 'if (!stats.isDirectory()) return',
    to: 'if (stats.isFile()) return',
  },
  {
    ...sockets,
    name: 'a folder of control sockets that others can enter is used',
    from: 'return (stats.mode & 0o077) === 0 ?',
    to: 'return (stats.mode & 0o077) >= 0 ?',
  },
  {
    ...sockets,
    name: 'any file is taken for a control socket',
    from: 'if (!stats.isSocket()) return',
    to: 'if (stats.isDirectory()) return',
  },
  {
    ...keys,
    name: 'the primary key can be removed',
    from: 'if (key === this.primary) throw',
    to: 'if (key !== this.all.at(-1)) throw',
  },
  {
    ...keys,
    name: 'a node takes any number of keys',
    from: 'if (this.#keys.length === maxKeys) throw tooMany()',
    to: '',
  },
  {
    name: 'a key that is removed during a handshake lets the connection live',
    file: 'packages/overlay/src/host/protector.ts',
    from: 'if (!this.#keys.all.includes(key)) queueMicrotask',
    to: 'if (key === undefined) queueMicrotask',
    test: 'packages/overlay/src/host/protector.test.ts',
  },
  {
    name: 'an old order of an administrator counts again',
    file: 'apps/node/src/orders/order.ts',
    from: 'JSON.stringify([member, nonce, what,',
    to: 'JSON.stringify([member, what,',
    test: 'apps/node/src/orders/order-taker.test.ts',
  },
  {
    name: 'anybody is an administrator',
    file: 'apps/node/src/orders/order-taker.ts',
    from: 'if (!this.#admins.has(by))',
    to: 'if (this.#admins.size === 0)',
    test: 'apps/node/src/orders/order-taker.test.ts',
  },
  {
    name: 'silent connections keep others out',
    file: 'apps/node/src/http/server.ts',
    from: 'if (this.#connections.size > CONNECTIONS_LIMIT) this.#connections.values().next().value?.destroy()',
    to: 'if (this.#connections.size > CONNECTIONS_LIMIT) socket.destroy()',
    test: 'apps/node/src/http/server.test.ts',
  },
  {
    name: 'a page of another site gets data of the node',
    file: 'apps/node/src/http/hosts.ts',
    from: "return name === 'localhost' ||",
    to: "return name.startsWith('localhost') ||",
    test: 'apps/node/src/http/hosts.test.ts',
  },
  {
    name: 'the history is kept without bound',
    file: 'apps/node/src/model/history.ts',
    from: 'if (list.length > limit) list.shift()',
    to: 'if (list.length < 0) list.shift()',
    test: 'apps/node/src/model/history.test.ts',
  },
  {
    ...feed,
    name: 'events for a slow reader are kept without bound',
    from: 'if (stream.writableLength > limit) stream.destroy()',
    to: '',
  },
  {
    ...handlers,
    name: 'waiting runs of handlers have no bound',
    from: 'if (this.#closed || isFull) {',
    to: 'if (this.#closed) {',
  },
  {
    ...handlers,
    name: 'any number of handlers runs at once',
    from: 'while (this.#running.size < RUNNING_LIMIT)',
    to: 'while (this.#waiting.length > 0)',
  },
  {
    ...handlers,
    name: 'a handler that takes too long runs on',
    from: "late = reason\n      run.kill('SIGTERM')",
    to: 'late = reason',
  },
  {
    ...handlers,
    name: 'a command for a query runs on when nobody waits for its answer',
    from: "signal?.addEventListener('abort', giveUp)",
    to: '',
  },
  {
    name: 'all handlers share one queue of runs',
    file: 'apps/node/src/handlers/handlers.ts',
    from: 'handlers.map((handler) => ({ handler, runs: new HandlerRuns(handler.command, options) }))',
    to: "((runs) => handlers.map((handler) => ({ handler, runs })))(new HandlerRuns(handlers[0]?.command ?? '', options))",
    test: 'apps/node/src/handlers/handlers.test.ts',
  },
  {
    name: 'a node that was removed from the allow list keeps its connections',
    file: 'packages/overlay/src/overlay/overlay.ts',
    from: 'host.refuse(id)',
    to: '',
    test: 'packages/jel/test/worker.test.ts',
  },
  {
    name: 'the signature of an order omits the id that the allow list gains or loses',
    file: 'apps/node/src/orders/order.ts',
    from: 'JSON.stringify([member, nonce, what, subject])',
    to: "JSON.stringify([member, nonce, what, 'key' in rest ? subject : ''])",
    test: 'apps/node/src/orders/order-taker.test.ts',
  },
  {
    name: 'only the shell of a handler is killed',
    file: 'apps/node/src/handlers/run.ts',
    from: 'process.kill(-child.pid, signal)',
    to: 'process.kill(child.pid, signal)',
    test: 'apps/node/src/handlers/handlers.test.ts',
  },
  {
    name: 'the failure of a handler runs handlers',
    file: 'apps/node/src/handlers/handler.ts',
    from: 'event.code === HANDLER_FAILED || ',
    to: '',
    test: 'apps/node/src/handlers/handler.test.ts',
  },
  {
    ...questions,
    name: 'a query takes answers from members that it did not ask',
    from: 'if (open.isFiltered && !open.waiting.has(from)) return',
    to: '',
  },
  {
    ...questions,
    name: 'a member answers a query again and again',
    from: 'open.answered.add(from)\n',
    to: '',
  },
  {
    ...answers,
    name: 'one asker uses up all places for answers at a member',
    from: 'if (under >= ANSWERS_LIMIT.each || all',
    to: 'if (all',
  },
  {
    ...answers,
    name: 'an asker that could not be reached is dialled for each of its queries',
    from: 'this.#unreachable.set(id, performance.now() + UNREACHABLE)',
    to: '',
  },
  {
    name: 'a start that fails empties the file of records',
    file: 'packages/overlay/src/overlay/node.ts',
    from: '(node.hasRestoredRecords ? node.recordFrames() : undefined)',
    to: 'node.recordFrames()',
    test: 'packages/overlay/src/overlay/overlay.test.ts',
  },
  {
    ...identity,
    name: 'each life of a process writes to the disk',
    from: 'if (incarnation > written) write(incarnation + ahead)',
    to: 'if (incarnation > used) write(incarnation + ahead)',
  },
  {
    ...identity,
    name: 'a life begins before it is written to the disk',
    from: 'if (incarnation > written) write(incarnation + ahead)',
    to: 'if (incarnation > written) written = incarnation + ahead',
  },
  {
    name: 'a failed write of the remembered members counts as done',
    file: 'packages/overlay/src/identity/peers-file.ts',
    from: 'return !this.#isFailing',
    to: 'return true',
    test: 'packages/overlay/src/identity/peers-file.test.ts',
  },
  {
    name: 'connections that answer are closed at the end of a life',
    file: 'packages/overlay/src/streams/application-streams.ts',
    from: 'if (!(await answers(connection, answerTime))) connection',
    to: 'connection',
    test: 'packages/overlay/src/streams/application-streams.test.ts',
  },
  {
    name: 'connections that are silent stay open after the end of a life',
    file: 'packages/overlay/src/streams/application-streams.ts',
    from: 'if (!(await answers(connection, answerTime))) connection',
    to: "if (connection.status === 'closed') connection",
    test: 'packages/overlay/src/streams/application-streams.test.ts',
  },
  {
    ...persistent,
    name: 'any line of a persistent command is the answer to its input',
    from: 'answer === undefined || answer.id !== this.#waiting?.id',
    to: 'answer === undefined',
  },
  {
    ...persistent,
    name: 'an input fails because earlier inputs have spoilt the process',
    file: 'packages/compute/src/program/command.ts',
    from: '!process.hasEnded || used === undefined || isOwn',
    to: 'true',
  },
  {
    ...persistent,
    name: 'the time of a persistent command counts for all its inputs together',
    from: '      stopClock()\n',
    to: '',
  },
  {
    ...largeResults,
    name: 'no replica keeps a large result',
    file: 'packages/compute/src/shell/large-results.ts',
    from: 'const isReplica = holders.isReplica(id)',
    to: 'const isReplica = id === hash',
  },
  {
    ...largeResults,
    name: 'a program in a sandbox hands over any number of blobs',
    file: 'packages/compute/src/executors/store-requests.ts',
    from: 'this.#size > MAX_RESULT_BYTES || this.#allowed === 0',
    to: 'this.#size > MAX_RESULT_BYTES',
  },
  {
    ...largeResults,
    name: 'a large value may have any number of parts',
    file: 'packages/compute/src/program/stored-value.ts',
    from: '  checkContainers(bytes, MAX_VALUE_BYTES)\n',
    to: '',
  },
  {
    ...persistent,
    name: 'an answer that is too large is made twice',
    file: 'packages/compute/src/program/command.ts',
    from: ", 'COMMAND_OUTPUT_TOO_LARGE'])",
    to: '])',
  },
  {
    name: 'a result is not asked for again after its fetch failed',
    file: 'packages/compute/src/shell/large-results.ts',
    from: '      this.keepAll()\n',
    to: '',
    test: 'packages/compute/src/shell/large-results.test.ts',
  },
  {
    name: 'a change during a save waits for the next change',
    file: 'packages/compute/src/shell/saved-jobs.ts',
    from: '      this.#timer = undefined\n      this.#queue(async () => {\n        await this.#saveAll()\n',
    to: '      this.#queue(async () => {\n        await this.#saveAll()\n        this.#timer = undefined\n',
    test: 'packages/compute/src/shell/saved-jobs.test.ts',
  },
  {
    name: 'a peer sends without end after its answer about a blob',
    file: 'packages/compute/src/shell/blob-exchange.ts',
    from: "frames.abort(new Error('the question is over'))",
    to: 'void frames.close()',
    test: 'packages/compute/test/blob-exchange.test.ts',
  },
  {
    name: 'results of ended jobs fill the disk',
    file: 'packages/compute/src/shell/pins.ts',
    from: 'return [...this.#spares].filter((by) => !this.#owners.has(by))',
    to: 'return []',
    test: 'packages/compute/src/shell/blob-store.test.ts',
  },
  {
    name: 'files of strangers evict all results of the own owner',
    file: 'packages/compute/src/shell/pins.ts',
    from: '(taken.get(undefined) ?? 0) > limit / 2 ?',
    to: 'taken.size > 0 ?',
    test: 'packages/compute/src/shell/blob-store.test.ts',
  },
  {
    name: 'one peer takes all room for blobs on their way',
    file: 'packages/compute/src/shell/byte-room.ts',
    from: 'if (own > this.#limit - (this.#all + bytes)) return false',
    to: 'if (this.#all + bytes > this.#limit) return false',
    test: 'packages/compute/src/shell/byte-room.test.ts',
  },
  {
    name: 'frames after an answer take room for ever',
    file: 'packages/compute/src/shell/blob-exchange.ts',
    from: 'if (isOver) return',
    to: '',
    test: 'packages/compute/test/blob-exchange.test.ts',
  },
  {
    name: 'a job counts as kept though its files were evicted while others came',
    file: 'packages/compute/src/shell/job-blobs.ts',
    from: "if (evictions !== this.#evictions) throw new BlobMissingError('files of the job made way while others came')",
    to: '',
    test: 'packages/compute/src/shell/job-files.test.ts',
  },
  {
    name: 'inputs of strange jobs take any memory',
    file: 'packages/compute/src/shell/job-files.ts',
    from: 'if (!this.#room.take(owner, bytes)) throw',
    to: 'if (!this.#room.take(owner, 0)) throw',
    test: 'packages/compute/src/shell/job-files.test.ts',
  },
  {
    name: 'output for a replica that does not answer waits without bound',
    file: 'packages/compute/src/shell/output-exchange.ts',
    from: 'if (queue.waiting >= MAX_WAITING) return',
    to: '',
    test: 'packages/compute/test/output-exchange.test.ts',
  },
  {
    name: 'a message with a packed table is decoded',
    file: 'packages/compute/src/program/cbor-bounds.ts',
    from: 'major === 6 && count === PACKED_TABLE',
    to: 'false',
    test: 'packages/compute/src/program/cbor-bounds.test.ts',
  },
  {
    name: 'a value with a packed table is decoded',
    file: 'packages/compute/src/program/values.ts',
    from: 'encode: refuse, decode: refuse',
    to: 'encode: refuse, decode: () => 0 as never',
    test: 'packages/compute/src/program/values.test.ts',
  },
  {
    name: 'ended tasks are listed as tasks that run for long',
    file: 'packages/compute/src/core/explanation.ts',
    from: 'job.tree.entryFor(path) === undefined) : []',
    to: 'true || job.tree.entryFor(path)) : []',
    test: 'packages/compute/src/core/scheduler.test.ts',
  },
  {
    name: 'a task fails for good at a machine with a full disk',
    file: 'packages/compute/src/program/runtime.ts',
    from: 'if (fault !== undefined && this.#frames.get(frame.path) === frame) {',
    to: "if (fault?.code === '') {",
    test: 'packages/compute/test/local.test.ts',
  },
  {
    name: 'a job fails while its replica is silent for seconds',
    file: 'packages/compute/src/shell/job-files.ts',
    from: ' || performance.now() - begin > GIVE_TIME',
    to: ' || performance.now() >= begin',
    test: 'packages/compute/src/shell/job-files.test.ts',
  },
  {
    ...relays,
    name: 'strangers get circuits',
    from: '!isDirect(connection) || !this.#options.isMember(from)',
    to: '!isDirect(connection)',
  },
  { ...relays, name: 'two members get any number of circuits', from: '>= maxOfPair', to: '>= Infinity' },
  {
    ...relays,
    name: 'a relay reads on while bytes wait for a slow member',
    from: 'to.writeBufferLength === 0 && performance',
    to: 'performance',
  },
  {
    ...accounts,
    name: 'a relay forgets the debts of members without circuits',
    from: 'this.circuits === 0 && this.#owed === 0',
    to: 'this.circuits === 0',
  },
  {
    ...accounts,
    name: 'members behind one router have no common limit',
    from: '`at ${network}`',
    to: '`at ${network} ${remotePeer.toString()}`',
  },
  { ...paths, name: 'one relay makes a hidden member silent', from: 'const enough = 2', to: 'const enough = 1' },
  {
    ...paths,
    name: 'a relay without room makes a hidden member silent',
    from: 'error instanceof RelayRefusal && error.isAbsent',
    to: 'true',
  },
  { ...paths, name: 'a relay that drops circuits stays the first choice', from: 'this.#hasFailed(relay.id) ? 2 : 0', to: 'false ? 2 : 0' },
  {
    ...checks,
    name: 'a member makes others dial private addresses',
    from: 'isPublic(address) && canDial(address)',
    to: 'canDial(address)',
  },
  {
    ...ownReach,
    name: 'one liar decides how others reach a member',
    from: 'first !== undefined && first === second',
    to: 'first !== undefined',
  },
  {
    ...punches,
    name: 'a hidden member dials any address that another one names',
    from: 'if (!isPublic(theirs) || !canDial(theirs) || !isPlain) throw',
    to: 'if (!isPublic(theirs) && !canDial(theirs)) throw',
  },
  {
    ...punches,
    name: 'hidden members whose routers let nobody in try without end',
    from: 'if (this.#isPaused(peer) || directConnections(host.libp2p, peer).length > 0) return false',
    to: 'if (directConnections(host.libp2p, peer).length > 0) return false',
  },
  {
    ...punches,
    name: 'both ends of a new connection take themselves for the dialler',
    from: "await this.#dial(punching, theirs, own, 'inbound', peer)",
    to: "await this.#dial(punching, theirs, own, 'outbound', peer)",
  },
  {
    file: 'packages/overlay/src/links/links.ts',
    test: 'packages/overlay/src/relay/hole-punches.test.ts',
    name: 'a link stays on its circuit though there is a direct connection',
    from: 'if (isDirect(pair.connection)) void',
    to: 'if (!isDirect(pair.connection)) void',
  },
  {
    file: 'packages/overlay/src/streams/application-streams.ts',
    test: 'packages/overlay/src/streams/application-streams.test.ts',
    name: 'a stream waits for a connection that was cut unnoticed',
    from: "'the peer does not answer'), slowTime)",
    to: "'the peer does not answer'), 100 * slowTime)",
  },
  {
    ...origins,
    name: 'a page of any site may open WebSockets',
    from: 'if (from === undefined) return false',
    to: 'if (from === undefined) return true',
  },
  {
    ...workers,
    name: 'a program in a worker may send without end',
    from: 'this.#received > MAX_UNTAKEN + MAX_FRAME_BYTES',
    to: 'this.#received < 0',
  },
  {
    ...workers,
    name: 'a program in a worker outlives its page',
    from: "onFrameLost(() => this.#fail('its page is gone'))",
    to: 'onFrameLost(() => {})',
  },
  {
    ...memoryBlobs,
    name: 'empty blobs in memory are free',
    from: 'length + OVERHEAD]',
    to: 'length]',
  },
]
