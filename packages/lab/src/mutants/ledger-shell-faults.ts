import type { ShellFault } from './shell-faults.ts'

const source = 'packages/ledger/src'
const file = { file: `${source}/store/file.ts`, test: `${source}/store/file.test.ts` }
const framing = { file: `${source}/store/framing.ts`, test: `${source}/store/file.test.ts` }
const placement = { file: `${source}/core/placement.ts`, test: `${source}/core/placement.test.ts` }
const client = { file: `${source}/shell/client.ts`, test: `${source}/shell/client.test.ts` }
const codec = { file: `${source}/wire/codec.ts`, test: `${source}/wire/codec.test.ts` }
const transport = { file: `${source}/shell/transport.ts`, test: `${source}/shell/transport.test.ts` }
const seatHost = { file: `${source}/shell/seat-host.ts`, test: `${source}/shell/seat-host.test.ts` }
const bodies = { file: `${source}/fold/bodies.ts`, test: `${source}/fold/bodies.test.ts` }
const once = `${source}/shell/order-once.test.ts`
const generations = { file: `${source}/shell/generations.ts`, test: `${source}/shell/generations.test.ts` }
const orders = { file: `${source}/shell/orders.ts`, test: `${source}/shell/orders.test.ts` }

/** Faults of the shell of the ledger. */
export const ledgerShellFaults: readonly ShellFault[] = [
  {
    ...file,
    name: 'a torn write stays in the file',
    from: 'await handle.truncate(records.end)',
    to: 'await handle.truncate(bytes.length)',
  },
  {
    ...file,
    name: 'the file of another member is taken',
    from: "if (bytes.toString('utf8', 0, start) !== this.#header)",
    to: 'if (start < 0)',
  },
  { ...file, name: 'other users may read the file', from: '(status.mode & OTHERS) !== 0', to: 'status.mode < OTHERS' },
  {
    ...file,
    name: 'a closed store takes writes',
    from: 'if (this.#error !== undefined) throw this.#error\n    const write',
    to: 'const write',
  },
  {
    ...framing,
    name: 'damage in the middle is taken for a torn end',
    from: 'if (frameAt(bytes, at) !== undefined) throw damagedAt(end)',
    to: 'if (frameAt(bytes, at) !== undefined) damagedAt(end)',
  },
  {
    ...framing,
    name: 'a damaged frame passes',
    from: '=== bytes.readUInt32LE(at + 8) ? content',
    to: '=== bytes.readUInt32LE(at + 8) || content.length > 0 ? content',
  },
  {
    ...placement,
    name: 'a spare may crowd its own site',
    from: '2 * (atSite(chosen, site) + 1) <= chosen.length',
    to: 'site !== chosen.find((each) => 2 * atSite(chosen, each.site) > chosen.length)?.site',
  },
  { ...placement, name: 'the voters are even in number', from: 'eligible.length - ((eligible.length + 1) % 2)', to: 'eligible.length' },
  { ...placement, name: 'a voter that is eligible loses its seat', from: 'present.includes(seat)', to: '!present.includes(seat)' },
  {
    ...placement,
    name: 'one site has the majority',
    from: '2 * atSite(chosen, site) > chosen.length',
    to: '2 * atSite(chosen, site) > 2 * chosen.length',
  },
  {
    ...client,
    name: 'an answer of another seat counts',
    from: 'if (batch === undefined || from !== this.#target) return',
    to: 'if (batch === undefined) return',
  },
  {
    ...client,
    name: 'what is sent again changes its order',
    from: 'this.#waiting = [...calls, ...this.#waiting]',
    to: 'this.#waiting = [...this.#waiting, ...calls]',
  },
  {
    ...client,
    name: 'a silent leader is asked for ever',
    from: 'if (isLate) {',
    to: 'if (isLate && this.#timeout < 0) {',
  },
  {
    ...client,
    name: 'a slow pool is asked as often as a fast one',
    from: 'Math.min(2 * this.#timeout, MAX_TIMEOUT)',
    to: 'TIMEOUT',
  },
  { ...client, name: 'a leader that leads no more is asked again', from: '= target ?? this.#other()', to: '= target' },
  {
    ...client,
    name: 'the leader that is known is asked as seldom as others',
    from: 'leader !== undefined && leader !== last ? leader :',
    to: 'leader === undefined ? leader :',
  },
  {
    ...codec,
    name: 'a frame is not checked',
    from: 'return result.success ? result.output : undefined',
    to: 'return result.output as v.InferOutput<Schema>',
  },
  { ...transport, name: 'each frame names its parties', from: 'if (!isSame(out.parties, parties))', to: 'if (out.sentAt > 0)' },
  { ...transport, name: 'another receiver is not named', from: '&& one.to === other.to', to: '' },
  {
    ...transport,
    name: 'a new stream names no parties',
    from: 'out.frames = undefined\n            out.parties = undefined',
    to: 'out.frames = undefined',
  },
  {
    ...transport,
    name: 'a member that was not reached gets no parties',
    from: 'out.notBefore = performance.now() + REDIAL\n      out.parties = undefined',
    to: 'out.notBefore = performance.now() + REDIAL',
  },
  {
    ...seatHost,
    name: 'a promise leaves before its write is synced',
    from: 'if (effect.after > this.#synced) this.#held.push(effect)',
    to: 'if (effect.after < 0) this.#held.push(effect)',
  },
  {
    ...seatHost,
    name: 'a promise of a failed write leaves',
    from: "this.#driver.deliver({ type: 'writeFailed' })",
    to: 'this.#settle(number)',
  },
  { ...bodies, name: 'a member speaks for another one', from: 'body.id === id && (body.kind', to: 'body.id.length > 0 && (body.kind' },
  {
    ...bodies,
    name: 'a member says that it died',
    from: "(body.kind !== 'gone' || body.how === 'left')",
    to: "(body.kind !== 'gone' || body.how.length > 0)",
  },
  {
    ...orders,
    name: 'a message that came too early is lost',
    from: 'await this.#propose(() => this.#entry(waiting))\n',
    to: 'await this.#propose(() => this.#entry(waiting))\n        break\n',
  },
  {
    ...orders,
    name: 'a new life goes on with the numbers of the former one',
    from: 'this.#next = last + 1',
    to: 'this.#next = Math.max(this.#next, last + 1)',
  },
  {
    ...orders,
    name: 'a message that has its place is proposed once more by the next life',
    from: 'life === undefined || !this.#waiting.includes(waiting)',
    to: 'life === undefined',
    test: once,
  },
  {
    ...client,
    name: 'a request whose answer is lost waits while others are answered',
    from: 'performance.now() - sentAt > this.#timeout)',
    to: 'this.#inFlight.size === 1 && performance.now() - sentAt > this.#timeout)',
    test: once,
  },
  {
    file: `${source}/shell/authorization.ts`,
    test: `${source}/shell/authorization.test.ts`,
    name: 'anybody tells a seat what is committed',
    from: "role !== 'leader' && from === leader",
    to: "role !== 'leader' && from !== undefined",
  },
  {
    file: `${source}/shell/own-life.ts`,
    test: `${source}/shell/own-life.test.ts`,
    name: 'a life that has ended in the ledger is proposed for ever',
    from: 'this.#port.rejoin(incarnation)\n        return',
    to: 'this.#port.rejoin(incarnation)',
  },
  {
    file: `${source}/shell/applied.ts`,
    test: `${source}/shell/applied.test.ts`,
    name: 'what waits for an index waits for ever',
    from: 'for (const { reject } of this.#waiting) reject(why)',
    to: '',
  },
  {
    ...generations,
    name: 'a recovery drops what its member has not applied',
    from: 'log.slice(applied.end.index + 1, log.lastIndex)',
    to: '[]',
  },
  { ...generations, name: 'a seat that may be in the file goes on in memory', from: '      record = newRecord()\n', to: '' },
  {
    ...generations,
    name: 'a member that leaves enters a ledger',
    from: 'if (this.#isClosed) return\n    this.#part =',
    to: 'this.#part =',
  },
  { ...generations, name: 'a disk that takes no file ends a member', from: 'store = memoryStore', to: 'throw error' },
  {
    ...orders,
    name: 'a message behind another one is proposed for ever',
    from: 'if (this.#waiting[0] === waiting) break',
    to: 'break',
  },
]
