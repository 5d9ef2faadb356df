/** What each node was told, against who takes part: the paper's metric (§6.1), and whether all know all. */
import type { NodeId, Notification } from '@jel/protocol'

/** Numbers of nodes, those for which the answer is yes. */
class Crowd {
  readonly #bits: Uint8Array
  size = 0

  constructor(capacity: number) {
    this.#bits = new Uint8Array(capacity)
  }

  has(node: number): boolean {
    return this.#bits[node] === 1
  }

  set(node: number, yes: boolean): void {
    if (this.has(node) === yes) return
    this.#bits[node] = yes ? 1 : 0
    this.size += yes ? 1 : -1
  }
}

export class PoolWatch {
  readonly #numbers = new Map<NodeId, number>()
  /** Who takes part. */
  readonly #present: Crowd
  /** By node, whom it sees, and how many of these take part. */
  readonly #views: Crowd[]
  readonly #right: Int32Array
  readonly #capacity: number
  /** Of all that take part, together. */
  #perceived = 0
  /** Who takes part and does not see exactly those that do. */
  readonly #wrong: Crowd

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#present = new Crowd(capacity)
    this.#wrong = new Crowd(capacity)
    this.#views = Array.from({ length: capacity }, () => new Crowd(capacity))
    this.#right = new Int32Array(capacity)
  }

  get present(): number {
    return this.#present.size
  }

  /** The average perceived pool size. */
  get perceived(): number {
    return this.present === 0 ? 0 : this.#perceived / this.present
  }

  get allKnowAll(): boolean {
    return this.present > 0 && this.#wrong.size === 0
  }

  name(node: number, id: NodeId): void {
    this.#numbers.set(id, node)
  }

  starts(node: number): void {
    this.#changePresence(node, true)
  }

  /** It says that it leaves, or is gone. */
  ends(node: number): void {
    this.#changePresence(node, false)
  }

  told(node: number, notification: Notification): void {
    const { type } = notification
    if (type !== 'joined' && type !== 'left' && type !== 'died') return
    const other = this.#numbers.get(notification.member.id)
    const view = this.#views[node]
    if (other === undefined || view === undefined || view.has(other) === (type === 'joined')) return
    view.set(other, type === 'joined')
    const change = type === 'joined' ? 1 : -1
    if (this.#present.has(other)) this.#right[node] = (this.#right[node] as number) + change
    if (this.#present.has(node)) this.#perceived += change
    this.#judge(node)
  }

  #changePresence(node: number, present: boolean): void {
    if (this.#present.has(node) === present) return
    this.#present.set(node, present)
    const change = present ? 1 : -1
    this.#perceived += change * (this.#views[node]?.size ?? 0)
    for (let other = 0; other < this.#capacity; other++) {
      if (this.#views[other]?.has(node) === true) this.#right[other] = (this.#right[other] as number) + change
      this.#judge(other)
    }
  }

  #judge(node: number): void {
    const seen = this.#views[node]?.size
    this.#wrong.set(node, this.#present.has(node) && (seen !== this.present || this.#right[node] !== this.present))
  }
}
