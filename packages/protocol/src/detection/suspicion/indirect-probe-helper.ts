/**
 * The helper: answers requests for indirect probes (SWIM §3.1, the receiver of a ping-req).
 *
 * The helper passes a request on to the subject, and returns the subject's answer: a signature of
 * the present heartbeat. If it has an answer that is at most a second old, it repeats that answer
 * to any asker. It dials only members of its own view, at the addresses that they signed. So nobody
 * can use it as a reflector.
 */
import { earliest } from '../../base/earliest.ts'
import type { HostProbeOutcome } from '../../base/input.ts'
import type { Address, Milliseconds, NodeId } from '../../base/values.ts'
import type { Context } from '../../context/context.ts'
import type { Timed } from '../../context/timers.ts'
import type { Refutation, Statement } from '../../facts/statement.ts'
import type { Contacts } from '../probing/contacts.ts'
import type { Heartbeats } from '../probing/heartbeats.ts'
import type { ProbeScheduler } from '../probing/probe-scheduler.ts'
import type { Batcher } from './batcher.ts'
import type { DirectProbes } from './direct-probes.ts'
import { usualAnswer } from './indirect-probes.ts'
import type { Looks } from './looks.ts'
import type { Suspicions } from './suspicions.ts'

/**
 * The largest number of subjects without a link that the helper dials at a time. Guess: a dial
 * costs 11 ms of processor time.
 */
const dialsAtOnce = 4

/**
 * The largest number of subjects that the helper probes at a time. Guess: four for each ring
 * neighbour of a node.
 */
const most = 32

export interface HelperParts {
  readonly batcher: Batcher
  readonly heartbeats: Heartbeats
  readonly scheduler: ProbeScheduler
  readonly suspicions: Suspicions
  readonly contacts: Contacts
  readonly direct: DirectProbes
  readonly looks: Looks
}

interface Task {
  readonly askers: Set<NodeId>
  deadline: Milliseconds
  /**
   * The subject's host accepted, or the subject is hidden. This node dials the subject as soon as
   * fewer dials are under way.
   */
  isAccepted: boolean
  isDialled: boolean
}

export class IndirectProbeHelper implements Timed {
  readonly #context: Context
  readonly #parts: HelperParts
  readonly #tasks = new Map<NodeId, Task>()

  constructor(context: Context, parts: HelperParts) {
    this.#context = context
    this.#parts = parts
  }

  /** Takes in a member's request for a probe of another member. */
  request(from: NodeId, subject: NodeId): void {
    const { links, view, now, effects } = this.#context
    const recent = this.#parts.heartbeats.recent(subject)
    const task = this.#tasks.get(subject)
    if (recent !== undefined) this.#parts.batcher.reached(from, recent)
    else if (task !== undefined) task.askers.add(from)
    else if (view.get(subject) === undefined) this.#parts.batcher.missed(from, subject, !view.knows(subject))
    else if (this.#parts.suspicions.get(subject)?.isMissed === true)
      this.#parts.batcher.missed(from, subject, !this.#parts.direct.canTell(subject))
    else if (this.#tasks.size < most) {
      const isLinked = links.has(subject)
      this.#tasks.set(subject, { askers: new Set([from]), deadline: now + this.#timeout, isAccepted: false, isDialled: false })
      this.#arm()
      if (isLinked) this.#parts.batcher.ask(subject, subject)
      else if (this.#parts.contacts.isHidden(subject)) this.#accepted(subject)
      else effects.push({ type: 'probeHost', peer: subject, addresses: this.#addressesOf(subject) })
    }
  }

  /** Sends the subject's signed answer to the askers. */
  reached(refutation: Statement<Refutation>): void {
    const task = this.#end(refutation.signer)
    for (const asker of task?.askers ?? []) this.#parts.batcher.reached(asker, refutation)
  }

  /**
   * Sends the askers a negative answer: this node's own attempts failed, or the subject's life
   * ended.
   */
  missed(subject: NodeId): void {
    const task = this.#end(subject)
    for (const asker of task?.askers ?? []) this.#parts.batcher.missed(asker, subject, !this.#parts.direct.canTell(subject))
  }

  hostProbed(subject: NodeId, outcome: HostProbeOutcome): void {
    const task = this.#tasks.get(subject)
    if (task === undefined || this.#context.links.has(subject)) return
    if (outcome !== 'accepted') {
      this.#fail(subject)
      return
    }
    this.#accepted(subject)
  }

  unreachable(subject: NodeId): void {
    if (this.#tasks.get(subject)?.isDialled === true) this.#fail(subject)
  }

  linkUp(peer: NodeId): void {
    if (!this.#tasks.has(peer)) return
    const link = this.#context.links.get(peer)
    if (link !== undefined) link.isProbeLink = true
    this.#parts.batcher.ask(peer, peer)
  }

  /** This process stalled for `lateness`: the subjects' answers may wait in its sockets. */
  stalled(lateness: Milliseconds): void {
    for (const task of this.#tasks.values()) task.deadline += lateness
    this.#arm()
  }

  clear(): void {
    this.#tasks.clear()
    this.#arm()
  }

  due(): void {
    for (const [subject, { deadline }] of this.#tasks) if (this.#context.now >= deadline) this.#fail(subject)
    this.#arm()
  }

  /** Time for a subject to answer through this node, ms: at most twice the usual time. */
  get #timeout(): Milliseconds {
    const { timeout, roundTrip } = this.#parts.scheduler
    return Math.min(timeout, 2 * usualAnswer(roundTrip))
  }

  #arm(): void {
    this.#context.timers.set(
      'helper',
      earliest(this.#tasks.values(), ({ deadline }) => deadline),
    )
  }

  /**
   * The subject did not answer. If this node observes the subject, it then probes the subject for
   * itself, too.
   */
  #fail(subject: NodeId): void {
    this.missed(subject)
    if (this.#parts.scheduler.observed.has(subject)) this.#parts.looks.suspect(subject)
  }

  /**
   * The subject's kernel accepted, or the subject is hidden, and only a dial over its relays can
   * show whether it lives. The process gets as much time as for a direct probe: many nodes may dial
   * it at once.
   */
  #accepted(subject: NodeId): void {
    const task = this.#tasks.get(subject)
    if (task === undefined) return
    task.isAccepted = true
    task.deadline = this.#context.now + this.#parts.scheduler.timeout
    this.#arm()
    this.#dialNext()
  }

  get #dials(): number {
    let count = 0
    for (const { isDialled } of this.#tasks.values()) if (isDialled) count += 1
    return count
  }

  /** Dials subjects whose hosts accepted, a few at a time. */
  #dialNext(): void {
    for (const [subject, task] of this.#tasks) {
      if (this.#dials >= dialsAtOnce) return
      if (!task.isAccepted || task.isDialled) continue
      task.isDialled = true
      this.#context.effects.push({ type: 'connect', peer: subject, addresses: this.#addressesOf(subject) })
    }
  }

  #end(subject: NodeId): Task | undefined {
    const task = this.#tasks.get(subject)
    if (!this.#tasks.delete(subject)) return undefined
    this.#arm()
    this.#dialNext()
    return task
  }

  #addressesOf(id: NodeId): readonly Address[] {
    return this.#context.view.get(id)?.addresses ?? []
  }
}
