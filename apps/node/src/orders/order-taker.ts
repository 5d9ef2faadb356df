import { randomBytes } from 'node:crypto'
import type { Pool, Stream } from '@jel/jel'
import { messageOf } from '../base/usage-error.ts'
import type { Log } from '../log/log.ts'
import { MessageStream } from './message-stream.ts'
import { describeAllowList, ORDERS_PROTOCOL, readOrder, signedBytes, type Done, type Order, type Outcome, type Task } from './order.ts'

const NONCE_BYTES = 16
/**
 * After an order that was not carried out, its sender has to wait for this time, ms. So no member
 * fills the log. Guess.
 */
const PAUSE = 1_000

/** Carries out the orders of administrators. Each order goes to the log. */
export class OrderTaker {
  readonly #pool: Pool
  readonly #log: Log
  readonly #admins: ReadonlySet<string>
  /** Members that give an order, or have to wait. */
  readonly #busy = new Set<string>()

  private constructor(pool: Pool, log: Log, admins: readonly string[]) {
    this.#pool = pool
    this.#log = log
    this.#admins = new Set(admins)
  }

  /** Begins to take orders. `admins`: the ids of the administrators' keys. */
  static async start(pool: Pool, log: Log, admins: readonly string[]): Promise<void> {
    const taker = new OrderTaker(pool, log, admins)
    await pool.handle(ORDERS_PROTOCOL, (stream, from) => taker.#take(stream, from))
  }

  async #take(stream: Stream, from: string): Promise<void> {
    if (this.#busy.has(from)) throw new Error('one order at a time')
    this.#busy.add(from)
    using messages = new MessageStream(stream)
    let outcome: Outcome | undefined
    try {
      outcome = await this.#outcomeOf(messages, from)
    } finally {
      // The next order of a member may come before this stream has closed.
      if (outcome !== undefined && !('refused' in outcome)) this.#busy.delete(from)
      else setTimeout(() => this.#busy.delete(from), PAUSE).unref()
    }
    messages.send(outcome)
    await messages.close()
  }

  /** Invites an order, and carries it out. Without administrators there is no invitation. */
  async #outcomeOf(messages: MessageStream, from: string): Promise<Outcome> {
    if (this.#admins.size === 0) {
      this.#log.warn('ORDER_REFUSED', 'an order: this node was started without --admin', { member: from })
      return { refused: 'it takes no orders: start it with --admin and the id of the administrator’s key' }
    }
    const nonce = randomBytes(NONCE_BYTES).toString('base64')
    messages.send({ nonce })
    return await this.#carryOut(readOrder(await messages.receive()), nonce, from)
  }

  async #carryOut({ by, task, signature }: Order, nonce: string, from: string): Promise<Outcome> {
    const refuse = (reason: string): Outcome => {
      this.#log.warn('ORDER_REFUSED', `${task.do}: ${reason}`, { by, member: from })
      return { refused: reason }
    }
    if (!this.#admins.has(by)) return refuse(`${by} is no administrator of this node: --admin names its administrators`)
    const isGenuine = this.#pool.isSignedBy(by, signedBytes(this.#pool.self.id, nonce, task), Buffer.from(signature, 'base64'))
    if (!isGenuine) return refuse(`the order is not signed by ${by}`)
    try {
      const { what, ...done } = await carryOut(this.#pool, task)
      this.#log.info('ORDER', what, { by, member: from })
      return done
    } catch (error) {
      return refuse(messageOf(error))
    }
  }
}

/**
 * Carries out a task. A task that is already done is no error, so that an order can be repeated.
 * `what`: the task as the log shows it.
 */
async function carryOut(pool: Pool, task: Task): Promise<Done & { readonly what: string }> {
  if (task.do === 'allowList' || 'node' in task) {
    if (task.do === 'allow') await pool.allowList.add(task.node)
    if (task.do === 'disallow') await pool.allowList.remove(task.node)
    const ids = await pool.allowList.list()
    if (ids === undefined) throw new Error('it has no allow list: start it with --allow or --allow-file')
    return { what: 'node' in task ? `${task.do} ${task.node}` : 'list the allowed nodes', allowed: describeAllowList(ids) }
  }
  const id = await changeKeys(pool, task)
  return { what: id === undefined ? 'list' : `${task.do} the key ${id}`, keys: await pool.keys.list() }
}

/** Returns the fingerprint of the key. */
async function changeKeys(
  { keys }: Pool,
  task: Extract<Task, { readonly key: string }> | { readonly do: 'list' },
): Promise<string | undefined> {
  if (task.do === 'list') return undefined
  if (task.do !== 'remove') return (await keys[task.do](task.key)).id
  const installed = await keys.list()
  if (installed.some(({ id }) => id === task.key)) await keys.remove(task.key)
  return task.key
}
