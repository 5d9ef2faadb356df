import type { Member, Milliseconds } from '@jel/protocol'
import { window, type Contact } from '../network/contact.ts'
import type { Reachability } from '../network/reachability.ts'
import type { TestbedNode } from '../testbed-node.ts'

/** A false notification of the end of a running member's life, see {@link EndedLives}. */
export interface FalseDeath {
  readonly time: Milliseconds
  readonly observer: TestbedNode
  readonly subject: TestbedNode
  readonly incarnation: number
  /**
   * The node that was in two-way contact with both; undefined if observer and subject were in
   * contact with each other.
   */
  readonly through: TestbedNode | undefined
}

/** A life that ended while its process ran. */
interface EndedLife {
  isFalse: boolean
  /**
   * Nodes with a good reason to believe the end, and nodes that may have learned of it from them.
   * Other nodes may learn of it from any of these later.
   */
  readonly believers: TestbedNode[]
  /** The time of the first believer's notification. */
  readonly since: Milliseconds
}

/**
 * Counts the ended lives of running members: some node was notified of the end, with or without a
 * disturbance of the network. An end is false if, for the 30 s before, the member and the notified
 * node were in two-way contact, or both were in contact with one running member.
 */
export class EndedLives {
  readonly #nodes: readonly TestbedNode[]
  readonly #contact: Contact
  readonly #reachability: Reachability
  readonly #lives = new Map<string, EndedLife>()
  /** Lives that ended while their processes were stopped. Other nodes learn of the end later. */
  readonly #still = new Set<string>()
  /** The number of lives with a false end. */
  false = 0
  first: FalseDeath | undefined

  constructor(nodes: readonly TestbedNode[], contact: Contact, reachability: Reachability) {
    this.#nodes = nodes
    this.#contact = contact
    this.#reachability = reachability
  }

  get total(): number {
    return this.#lives.size
  }

  /**
   * Call it when `observer` is notified of the end of a life of `subject`, before the observer
   * handles the notification. Returns the first false end of each life.
   */
  told(observer: TestbedNode, subject: TestbedNode | undefined, { incarnation }: Member, now: Milliseconds): FalseDeath | undefined {
    if (subject?.honest !== true || subject.id === observer.id || subject.state === 'gone' || subject.leaves || !subject.lived(incarnation))
      return undefined
    const key = `${subject.index}#${incarnation}`
    if (this.#still.has(key)) return undefined
    const life = this.#lives.get(key) ?? { isFalse: false, believers: [], since: now }
    if (life.isFalse) return undefined
    if (this.#mayHaveHeardOf(life, observer, subject)) {
      life.believers.push(observer)
      return undefined
    }
    // A heal between two partitions leaves enough time to learn of the end and to pass it on.
    if (life.believers.length > 0 && this.#contact.mendedAt > life.since) return undefined
    const from = Math.max(now - window, subject.startedAt, observer.startedAt)
    const through = this.#between(observer, subject, from, now)
    if (through === undefined) {
      // A stopped process is not a running member.
      if (subject.state !== 'running') {
        this.#still.add(key)
        return undefined
      }
      this.#lives.set(key, life)
      // If the disturbance hit only the observer, the observer has no good reason for its belief.
      // Then no other node may adopt the belief.
      if (
        this.#contact.works(observer.endpoint, from, now) ||
        !this.#contact.isPathOpen(observer.endpoint, subject.endpoint, from, now) ||
        this.#isCutOffWithOthers(observer)
      )
        life.believers.push(observer)
      return undefined
    }
    life.isFalse = true
    this.#lives.set(key, life)
    this.false += 1
    const death = { time: now, observer, subject, incarnation, through: through === subject ? undefined : through }
    this.first ??= death
    return death
  }

  /**
   * Returns `b` if the two were in contact, otherwise a node that was in contact with both, or
   * undefined.
   */
  #between(a: TestbedNode, b: TestbedNode, from: Milliseconds, to: Milliseconds): TestbedNode | undefined {
    const joined = (x: TestbedNode, y: TestbedNode): boolean => this.#contact.joined(x.endpoint, y.endpoint, from, to)
    if (joined(a, b)) return b
    // A node that is cut off from all nodes had no contact.
    if (!this.#contact.works(a.endpoint, from, to) || !this.#contact.works(b.endpoint, from, to)) return undefined
    return this.#nodes.find(
      (node) =>
        node !== a && node !== b && node.honest && node.state === 'running' && node.startedAt <= from && joined(node, a) && joined(node, b),
    )
  }

  /**
   * Returns true if the cable of the node's machine is pulled and another node runs on the machine.
   * The two are then a side of a partition.
   */
  #isCutOffWithOthers({ index, endpoint }: TestbedNode): boolean {
    if (!endpoint.silent) return false
    return this.#nodes.some(
      (other) => other.index !== index && other.state === 'running' && other.endpoint.silent && other.endpoint.machine === endpoint.machine,
    )
  }

  /**
   * Returns true if the observer may have learned of the end from a believer, or from the member
   * itself. A member enters again when it learns of its end.
   */
  #mayHaveHeardOf({ believers }: EndedLife, observer: TestbedNode, subject: TestbedNode): boolean {
    const isToldBySubject = this.#mayHaveToldOf(subject, observer)
    return believers.some((node) => this.#mayHaveToldOf(node, observer) || (isToldBySubject && this.#mayHaveToldOf(node, subject)))
  }

  /** Returns true if the observer may have learned of the end from the believer. */
  #mayHaveToldOf(believer: TestbedNode, observer: TestbedNode): boolean {
    return believer.state === 'gone' || this.#reachability.joins(believer.endpoint, observer.endpoint)
  }
}

/** Describes a false death for people. */
export function describeFalseDeath({ subject, incarnation, through }: FalseDeath): string {
  const contact =
    through === undefined ? 'was in contact' : `was in contact through ${through.id}#${through.protocol.self?.incarnation ?? 1}`
  return `was told that ${subject.id}#${incarnation} died, which runs and ${contact}`
}
