/**
 * This node's own life in the pool: its incarnation, and its statements about itself.
 *
 * A life begins with a joined-statement. The node stores the incarnation before it sends this
 * statement. A life ends with a left-statement, or when others pronounce it dead. Nobody can take
 * back a pronounced death. So a node that learns of its own death begins the next life: a higher
 * incarnation, a new statement, and its candidacies again.
 */
import type { Address, Constants, Member, Milliseconds, NodeId, Reach } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import { mostAccusers } from '../detection/verdict/quorum.ts'
import { constantsProblem, noConstants, withConstant } from '../facts/constants.ts'
import { factOf, type Fact } from '../facts/fact.ts'

/** Pause after this node gave up a life, ms. The pause doubles up to six times. Guess. */
const rejoinPause = 5_000
/** The pause is short again if this node gave up no life for this time, ms. Guess. */
const rejoinMemory = 600_000

export interface OwnLifeOptions {
  readonly location: string
  readonly tag: Uint8Array
  readonly storedIncarnation: number
  /** Default: `direct`. */
  readonly reach?: Reach
}

export class OwnLife {
  readonly #context: Context
  readonly #options: OwnLifeOptions
  #incarnation: number
  #nonce = 0
  /** Version of this life's statement. */
  #version = 1
  #addresses: readonly Address[] = []
  #tag: Uint8Array
  #constants: Constants = noConstants
  #reach: Reach
  /** Start of this life, calendar time. */
  #joinedAt: Milliseconds = 0
  #self: Member | undefined
  /**
   * Number of lives that this node gave up without proof of their end. From `#rejoinAgain` on, this
   * node may give up a life without proof; from `#rejoinSurely` on, with proof.
   */
  #rejoins = 0
  #rejoinAgain: Milliseconds = -Infinity
  #rejoinSurely: Milliseconds = -Infinity
  /** Members that state, without proof, that the present life has ended. */
  readonly #against = new Set<NodeId>()

  constructor(context: Context, options: OwnLifeOptions) {
    this.#context = context
    this.#options = options
    this.#incarnation = options.storedIncarnation
    this.#tag = new Uint8Array(options.tag)
    this.#reach = options.reach ?? 'direct'
  }

  /** This node as a member; undefined before it entered and after it left. */
  get self(): Member | undefined {
    return this.#self
  }

  /** The highest stored incarnation. */
  get incarnation(): number {
    return this.#incarnation
  }

  prepare(addresses: readonly Address[]): void {
    this.#addresses = addresses.slice(0, this.#context.config.limits.addresses)
    this.#nonce = Math.floor(this.#context.random() * 2 ** 32)
  }

  /** Begins the first life of this process. */
  enter(learned: number): void {
    this.#begin(Math.max(this.#incarnation, this.credible(learned)) + 1)
    this.#context.enteredAt = this.#context.now
  }

  /** Begins the next life, without an announcement. */
  beginAnew(): void {
    this.#begin(this.#incarnation + 1)
  }

  /** Begins the next life, since this one is over. */
  #enterAgain(ended: number, reason: string): void {
    const { self } = this
    if (self === undefined || ended < self.incarnation) return
    this.#context.warn('INCARNATION_REPLACED', `incarnation ${self.incarnation} of this node is over: ${reason}; it enters again`)
    this.#begin(ended + 1)
    const fact = this.#context.view.fact(this.#context.id)
    if (fact !== undefined) this.#context.outcomes.push({ type: 'rejoined', fact })
  }

  /**
   * Gives up a life that others believe to be over. They can't take that back, so only a new life
   * reunites both sides. `by` lists members that state the death without convincing proof;
   * undefined: it is proven. A few liars could demand new lives for ever. So after each life that
   * this node gives up without proof, it keeps the next life for longer, unless as many members
   * agree as a death needs.
   */
  rejoin(ended: number, by?: readonly NodeId[]): void {
    const { now } = this.#context
    if (this.credible(ended) === 0 || (this.#self?.incarnation ?? Infinity) > ended) return
    for (const member of by ?? []) this.#against.add(member)
    const isSure = by === undefined || this.#against.size >= mostAccusers
    if (now < (isSure ? this.#rejoinSurely : this.#rejoinAgain)) return
    if (now - this.#rejoinAgain > rejoinMemory) this.#rejoins = 0
    this.#rejoinSurely = now + rejoinPause
    this.#rejoinAgain = now + rejoinPause * 2 ** Math.min(this.#rejoins, 6)
    if (!isSure) this.#rejoins += 1
    this.#enterAgain(ended, 'others pronounced it dead')
  }

  /**
   * Takes new addresses of the host. Returns a new version of this life's statement; undefined if
   * nothing changed.
   */
  readdress(addresses: readonly Address[]): Fact | undefined {
    this.#addresses = addresses.slice(0, this.#context.config.limits.addresses)
    const { self } = this
    if (self === undefined || sameAddresses(self.addresses, this.#addresses)) return undefined
    return this.#revise()
  }

  /**
   * Sets the tag of this life and later ones. Returns a new version of the statement; undefined if
   * nothing changed. Throws RangeError on a tag that is too long.
   */
  retag(tag: Uint8Array): Fact | undefined {
    const { tagBytes } = this.#context.config.limits
    if (tag.length > tagBytes) throw new RangeError(`the tag is ${tag.length} bytes long, more than the ${tagBytes} that are allowed`)
    this.#tag = new Uint8Array(tag)
    if (this.#self === undefined || sameBytes(this.#self.tag, tag)) return undefined
    return this.#revise()
  }

  /**
   * Sets a static attribute of this life and later ones; undefined removes it. Returns a new
   * version of the statement; undefined if nothing changed. Throws RangeError on an invalid name,
   * and if all constants together would be too long.
   */
  setConstant(name: string, value: Uint8Array | undefined): Fact | undefined {
    const constants = withConstant(this.#constants, name, value)
    const problem = constantsProblem(constants, this.#context.config.limits)
    if (problem !== undefined) throw new RangeError(problem)
    const before = this.#constants.get(name)
    const isSame = value === undefined ? before === undefined : before !== undefined && sameBytes(value, before)
    if (isSame) return undefined
    this.#constants = constants
    return this.#self === undefined ? undefined : this.#revise()
  }

  /**
   * Notes how others reach this node. Returns a new version of the statement; undefined if nothing
   * changed.
   */
  reached(reach: Reach): Fact | undefined {
    if (reach === this.#reach) return undefined
    this.#reach = reach
    return this.#self === undefined ? undefined : this.#revise()
  }

  #revise(): Fact | undefined {
    this.#version += 1
    this.#declare()
    return this.#context.view.fact(this.#context.id)
  }

  /**
   * Returns the incarnation if it is not too far above the stored one, else 0. A lie must not use
   * up the incarnations.
   */
  credible(incarnation: number): number {
    return incarnation <= this.#incarnation + this.#context.config.limits.incarnationJump ? incarnation : 0
  }

  /** Ends this life with a left-statement. Returns undefined if there is no life. */
  leave(): Fact | undefined {
    const { codec, id, view, now } = this.#context
    const { self } = this
    if (self === undefined) return undefined
    const changes = view.merge(factOf({ statement: codec.sign(id, { kind: 'left', incarnation: self.incarnation }) }), now, 0)
    this.#self = undefined
    for (const { member } of changes) this.#context.notify({ type: 'left', member })
    return view.fact(id)
  }

  /** Stores an incarnation, then signs its joined-statement and takes it in. */
  #begin(incarnation: number): void {
    const { effects } = this.#context
    this.#against.clear()
    if (incarnation > this.#incarnation) effects.push({ type: 'persist', incarnation })
    this.#incarnation = incarnation
    this.#version = 1
    this.#context.bornAt = this.#context.now
    this.#joinedAt = Math.floor(this.#context.services.today())
    this.#declare()
  }

  /** Signs this node's present state and takes it in. */
  #declare(): void {
    const { codec, id, view, now } = this.#context
    const { location } = this.#options
    const [tag, constants, reach, joinedAt] = [this.#tag, this.#constants, this.#reach, this.#joinedAt]
    const [incarnation, version, nonce, addresses] = [this.#incarnation, this.#version, this.#nonce, this.#addresses]
    const own = { addresses, location, tag, constants, reach }
    const statement = codec.sign(id, { kind: 'joined', incarnation, version, nonce, ...own, joinedAt })
    const changes = view.merge(factOf({ statement }), now, 0)
    this.#self = view.get(id)
    this.#context.outcomes.push({ type: 'changed', changes })
  }
}

function sameAddresses(a: readonly Address[], b: readonly Address[]): boolean {
  return a.length === b.length && a.every((address, i) => sameBytes(address, b[i]))
}

function sameBytes(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return a.length === b?.length && a.every((byte, i) => byte === b[i])
}
