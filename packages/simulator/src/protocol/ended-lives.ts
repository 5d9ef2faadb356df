import type { Member, Milliseconds } from '@jel/protocol'
import { window, type Contact } from '../network/contact.ts'
import type { Reachability } from '../network/reachability.ts'
import type { TestbedNode } from '../testbed.ts'

/** The life of a running member ended for somebody who could have known better. */
export interface FalseDeath {
  readonly time: Milliseconds
  readonly observer: TestbedNode
  readonly subject: TestbedNode
  readonly incarnation: number
  /** Who was in two-way contact with both; undefined where they were with each other. */
  readonly through: TestbedNode | undefined
}

/** A life that ended while its process ran. */
interface EndedLife {
  isFalse: boolean
  /** Who was right to believe so: others may have it from them, and later. */
  readonly believers: TestbedNode[]
  /** When the first of them was told. */
  readonly since: Milliseconds
}

/**
 * Counts the lives of running members that somebody was told had ended, whatever was done to the network around them. Such an end is false if, for
 * the 30 s before, the member and whoever was told so were in two-way contact, or each of them was with one running member.
 */
export class EndedLives {
  readonly #nodes: readonly TestbedNode[]
  readonly #contact: Contact
  readonly #reachability: Reachability
  readonly #lives = new Map<string, EndedLife>()
  /** Lives that ended while their processes stood still: others hear of that later. */
  readonly #still = new Set<string>()
  /** Of these lives, those that ended for somebody who could have known better. */
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

  /** To be called when a node is told of the end of a life of that process, before the process hears of it. The first time that the life ends falsely is returned. */
  told(observer: TestbedNode, subject: TestbedNode | undefined, { incarnation }: Member, now: Milliseconds): FalseDeath | undefined {
    if (subject?.honest !== true || subject.id === observer.id || subject.state === 'gone' || subject.leaves || !subject.lived(incarnation))
      return undefined
    const key = `${subject.index}#${incarnation}`
    if (this.#still.has(key)) return undefined
    const life = this.#lives.get(key) ?? { isFalse: false, believers: [], since: now }
    if (life.isFalse || this.#mayHaveHeardOf(life, observer, subject)) return undefined
    // A heal between two partitions is time enough to hear of it, and to tell it on.
    if (life.believers.length > 0 && this.#contact.mendedAt > life.since) return undefined
    const from = Math.max(now - window, subject.startedAt, observer.startedAt)
    const through = this.#between(observer, subject, from, now)
    if (through === undefined) {
      // Who stands still is no running member.
      if (subject.state !== 'running') {
        this.#still.add(key)
        return undefined
      }
      this.#lives.set(key, life)
      // A node that was itself out of order, and nothing else was, believes so for no good reason; nobody else may.
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

  /** The subject itself if the two were in contact, otherwise somebody who was with both; undefined if there is nobody. */
  #between(a: TestbedNode, b: TestbedNode, from: Milliseconds, to: Milliseconds): TestbedNode | undefined {
    const joined = (x: TestbedNode, y: TestbedNode): boolean => this.#contact.joined(x.endpoint, y.endpoint, from, to)
    if (joined(a, b)) return b
    // Who is cut off from all is nobody's to find.
    if (!this.#contact.works(a.endpoint, from, to) || !this.#contact.works(b.endpoint, from, to)) return undefined
    return this.#nodes.find(
      (node) =>
        node !== a && node !== b && node.honest && node.state === 'running' && node.startedAt <= from && joined(node, a) && joined(node, b),
    )
  }

  /** True if the cable of its machine is pulled, and it is not alone there: they are a side of a partition. */
  #isCutOffWithOthers({ index, endpoint }: TestbedNode): boolean {
    if (!endpoint.silent) return false
    return this.#nodes.some(
      (other) => other.index !== index && other.state === 'running' && other.endpoint.silent && other.endpoint.machine === endpoint.machine,
    )
  }

  /**
   * The observer may have heard of the end from somebody who was right to believe it, or from the
   * member, which enters anew when it hears of its end.
   */
  #mayHaveHeardOf({ believers }: EndedLife, observer: TestbedNode, subject: TestbedNode): boolean {
    const isToldBySubject = this.#mayHaveToldOf(subject, observer)
    return believers.some((node) => this.#mayHaveToldOf(node, observer) || (isToldBySubject && this.#mayHaveToldOf(node, subject)))
  }

  /** After a partition each side hears what the other was right to believe. */
  #mayHaveToldOf(believer: TestbedNode, observer: TestbedNode): boolean {
    return believer.state === 'gone' || this.#reachability.joins(believer.endpoint, observer.endpoint)
  }
}

/** A false death as people read it. */
export function describeFalseDeath({ subject, incarnation, through }: FalseDeath): string {
  const contact =
    through === undefined ? 'was in contact' : `was in contact through ${through.id}#${through.protocol.self?.incarnation ?? 1}`
  return `was told that ${subject.id}#${incarnation} died, which runs and ${contact}`
}
