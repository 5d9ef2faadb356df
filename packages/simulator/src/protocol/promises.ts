import type { Member, Milliseconds, NodeId, Notification } from '@jel/protocol'
import { describeFalseDeath, type FalseDeath } from './ended-lives.ts'
import type { TestbedNode } from '../testbed-node.ts'
import type { SimulatedNode } from './node.ts'

/**
 * A node broke a promise of the protocol. The message states the promise, the node and the time,
 * and the seed that repeats the run.
 */
export class BrokenPromiseError extends Error {
  readonly code = 'PROMISE_BROKEN'
  override readonly name = 'BrokenPromiseError'
  readonly seed: number
  readonly time: Milliseconds
  readonly node: NodeId
  /** The numbers of the node and of the subject of its notification, in the order of starting. */
  readonly index: number
  readonly subject: number | undefined
  readonly what: string

  constructor(
    seed: number,
    time: Milliseconds,
    node: Pick<TestbedNode, 'id' | 'index'>,
    what: string,
    subject?: Pick<TestbedNode, 'index'>,
  ) {
    super(`seed ${seed}, ${time.toFixed(3)} ms, node ${node.id} (number ${node.index}): ${what}`)
    this.seed = seed
    this.time = time
    this.node = node.id
    this.index = node.index
    this.subject = subject?.index
    this.what = what
  }
}

/** Returns the error for a false death. */
export function falseDeathError(seed: number, death: FalseDeath): BrokenPromiseError {
  return new BrokenPromiseError(seed, death.time, death.observer, describeFalseDeath(death), death.subject)
}

/** The states of one life in the ledger of one node. */
const unknown = 0
const present = 1
const over = 2

/** A member changed within its life: its addresses or its tag. */
interface Updated {
  readonly type: 'updated'
  readonly member: Member
}

interface Life {
  readonly number: number
  readonly incarnation: number
  /** All lives of the same id, including this life. */
  readonly ofSame: readonly Life[]
}

/** The notifications of one node so far. `lives` has one byte per life, at the life's number. */
interface Ledger {
  lives: Uint8Array
  /** Whether the node was notified of its own join. */
  entered: boolean
  readonly epochs: Map<string, number>
  /** The versions of records, by owner and name. */
  readonly records: Map<string, number>
  /** All fencing tokens that the node received, by election, epoch and life of the winner. */
  readonly tokens: Set<string>
}

/**
 * Checks each notification against the promises to its node. The node's own join comes first. Each
 * life has at most one start, then at most one end. No life returns after its end. No older life of
 * an id follows a newer life. Reigns and records never go back.
 */
export class Promises {
  readonly #seed: number
  /** The lives of each node id. */
  readonly #lives = new Map<NodeId, Life[]>()
  /** Lives by member object. Nodes that share facts share these objects. */
  readonly #described = new WeakMap<Member, Life>()
  #count = 0
  readonly #ledgers: Ledger[] = []

  constructor(seed: number) {
    this.#seed = seed
  }

  started(node: SimulatedNode): void {
    this.#ledgers[node.index] = { lives: new Uint8Array(64), entered: false, epochs: new Map(), records: new Map(), tokens: new Set() }
  }

  /** Throws {@link BrokenPromiseError}. `subject` is the process that the notification is about. */
  check(node: SimulatedNode, time: Milliseconds, notification: Notification, subject?: SimulatedNode): void {
    const broken = this.#broken(node, notification)
    if (broken !== undefined) throw new BrokenPromiseError(this.#seed, time, node, broken, subject)
  }

  #broken(node: SimulatedNode, notification: Notification | Updated): string | undefined {
    const ledger = this.#ledgers[node.index]
    if (ledger === undefined) return 'was told something before it started'
    switch (notification.type) {
      case 'joined':
        return this.#joined(ledger, node, notification.member)
      case 'left':
      case 'died':
        return this.#ended(ledger, notification.member, notification.type)
      case 'updated':
        return this.#updated(ledger, notification.member)
      case 'elected': {
        const { election, epoch, winner } = notification.reign
        const before = ledger.epochs.get(election) ?? 0
        ledger.epochs.set(election, epoch)
        if (epoch < before) return `election ${election} went back from epoch ${before} to ${epoch}`
        const token = `${election} ${epoch} ${life(winner)}`
        if (ledger.tokens.has(token))
          return `was told twice that ${life(winner)} won ${election} in epoch ${epoch}: the token names two reigns`
        ledger.tokens.add(token)
        return undefined
      }
      case 'record': {
        const { name, owner, version } = notification.record
        const before = ledger.records.get(`${owner} ${name}`) ?? 0
        ledger.records.set(`${owner} ${name}`, version)
        return version < before ? `record ${name} of ${owner} went back from version ${before} to ${version}` : undefined
      }
      case 'entered':
      case 'signal':
      case 'event':
      case 'query':
      case 'signalled':
      case 'warning':
      case 'health':
        return undefined
    }
  }

  #joined(ledger: Ledger, node: SimulatedNode, member: Member): string | undefined {
    if (!ledger.entered && member.id !== node.id) return `was told that ${life(member)} joined before its own join`
    ledger.entered = true
    const it = this.#life(member)
    const state = ledger.lives[it.number] ?? unknown
    if (state === present) return `was told twice that ${life(member)} joined`
    if (state === over) return `was told that ${life(member)} joined after its end`
    if (it.ofSame.length > 1)
      for (const { number, incarnation } of it.ofSame) {
        const state = ledger.lives[number] ?? unknown
        if (state === present) return `${life(member)} joined while incarnation ${incarnation} was present`
        if (state === over && incarnation > member.incarnation)
          return `${life(member)} joined after the later incarnation ${incarnation} had ended`
      }
    record(ledger, it, present)
    return undefined
  }

  #updated(ledger: Ledger, member: Member): string | undefined {
    const state = ledger.lives[this.#life(member).number] ?? unknown
    if (state === unknown) return `was told of a change of ${life(member)} but never that it joined`
    return state === over ? `was told of a change of ${life(member)} after its end` : undefined
  }

  #ended(ledger: Ledger, member: Member, how: 'left' | 'died'): string | undefined {
    const it = this.#life(member)
    const state = ledger.lives[it.number] ?? unknown
    if (state === unknown) return `was told that ${life(member)} ${how} but never that it joined`
    if (state === over) return `was told that ${life(member)} ${how} after its end`
    record(ledger, it, over)
    return undefined
  }

  #life(member: Member): Life {
    let it = this.#described.get(member)
    if (it !== undefined) return it
    const ofSame = this.#lives.get(member.id) ?? []
    this.#lives.set(member.id, ofSame)
    it = ofSame.find(({ incarnation }) => incarnation === member.incarnation)
    if (it === undefined) {
      it = { number: this.#count++, incarnation: member.incarnation, ofSame }
      ofSame.push(it)
    }
    this.#described.set(member, it)
    return it
  }
}

function record(ledger: Ledger, { number }: Life, state: number): void {
  if (number >= ledger.lives.length) {
    const larger = new Uint8Array(Math.max(number + 1, Math.ceil(ledger.lives.length * 1.5)))
    larger.set(ledger.lives)
    ledger.lives = larger
  }
  ledger.lives[number] = state
}

function life(member: Member): string {
  return `${member.id}#${member.incarnation}`
}
