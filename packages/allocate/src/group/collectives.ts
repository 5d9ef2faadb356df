import { treeOf } from './tree.ts'
import { decodeValue, encodeValue, type GroupValue } from './values.ts'

/** Programs use tags below this one. Collective calls use the tags from it on. */
export const COLLECTIVE_TAG = 2 ** 31

/** The messages of one rank. */
export interface RankPort {
  send(to: number, bytes: Uint8Array, tag: number): Promise<void>
  receive(from: number, tag: number): Promise<{ readonly bytes: Uint8Array }>
  /** Throws if a rank is lost. */
  check(): void | Promise<void>
}

/**
 * The collective calls of a group: calls in which all ranks take part. They consist of messages
 * between ranks.
 */
export abstract class Collectives {
  readonly #rank: number
  /** The site of each rank. */
  readonly #sites: readonly string[]
  readonly #port: RankPort
  #calls = 0

  constructor(rank: number, sites: readonly string[], port: RankPort) {
    this.#rank = rank
    this.#sites = sites
    this.#port = port
  }

  /** Waits until all ranks have called this method. */
  async barrier(): Promise<void> {
    await this.allReduce(undefined, () => undefined)
  }

  /**
   * Gives the value of one rank to all ranks. All ranks call this method.
   *
   * @param value JSON, or an array of numbers: Uint8Array, Float64Array, Float32Array, Int32Array
   * @param root the rank that has the value
   */
  async broadcast(value: GroupValue, root = 0): Promise<GroupValue> {
    checkRank(root, this.#sites.length)
    const tag = await this.#nextTag()
    let bytes = encodeValue(value)
    if (root !== 0 && this.#rank === root) await this.#port.send(0, bytes, tag)
    if (root !== 0 && this.#rank === 0) ({ bytes } = await this.#port.receive(root, tag))
    return decodeValue(await this.#down(bytes, tag))
  }

  /**
   * Combines the values of all ranks. All ranks call this method, and only `root` gets the result.
   * With up to sixteen sites the values are combined in the order of the ranks, so `combine` need
   * not be commutative.
   */
  async reduce<Value extends GroupValue>(value: Value, combine: (a: Value, b: Value) => Value, root = 0): Promise<Value | undefined> {
    checkRank(root, this.#sites.length)
    const tag = await this.#nextTag()
    const all = await this.#up(value, combine, tag)
    if (root === 0) return this.#rank === 0 ? all : undefined
    if (this.#rank === 0) await this.#port.send(root, encodeValue(all), tag)
    return this.#rank === root ? (decodeValue((await this.#port.receive(0, tag)).bytes) as Value) : undefined
  }

  /** As `reduce`, and all ranks get the result. */
  async allReduce<Value extends GroupValue>(value: Value, combine: (a: Value, b: Value) => Value): Promise<Value> {
    const tag = await this.#nextTag()
    const all = await this.#up(value, combine, tag)
    return decodeValue(await this.#down(encodeValue(all), tag)) as Value
  }

  /**
   * Gives the values of all ranks to `root`, in the order of the ranks. All ranks call this method.
   * Other ranks than `root` get undefined.
   */
  async gather<Value extends GroupValue>(value: Value, root = 0): Promise<readonly Value[] | undefined> {
    type Ranked = readonly [number, Value][]
    const all = await this.reduce<Ranked>([[this.#rank, value]], (a, b) => [...a, ...b], root)
    return all?.toSorted(([a], [b]) => a - b).map(([, each]) => each)
  }

  /**
   * Combines the own value with the values of the subtree of this rank, and sends the result to the
   * parent.
   */
  async #up<Value extends GroupValue>(value: Value, combine: (a: Value, b: Value) => Value, tag: number): Promise<Value> {
    const { parent, children } = treeOf(this.#sites, this.#rank)
    let all = value
    for (const child of children) all = combine(all, decodeValue((await this.#port.receive(child, tag)).bytes) as Value)
    if (parent !== undefined) await this.#port.send(parent, encodeValue(all), tag)
    return all
  }

  /** Receives the value of rank 0, and passes it on to the children. */
  async #down(own: Uint8Array, tag: number): Promise<Uint8Array> {
    const { parent, children } = treeOf(this.#sites, this.#rank)
    const bytes = parent === undefined ? own : (await this.#port.receive(parent, tag)).bytes
    // Children at other sites come first, since messages to them take longer.
    await Promise.all(children.toReversed().map(async (child) => await this.#port.send(child, bytes, tag)))
    return bytes
  }

  async #nextTag(): Promise<number> {
    await this.#port.check()
    this.#calls = (this.#calls + 1) % COLLECTIVE_TAG
    return COLLECTIVE_TAG + this.#calls
  }
}

/** @throws RangeError */
export function checkRank(rank: number, size: number): void {
  if (!(Number.isSafeInteger(rank) && rank >= 0 && rank < size)) throw new RangeError(`rank: must be a whole number from 0 to ${size - 1}`)
}
