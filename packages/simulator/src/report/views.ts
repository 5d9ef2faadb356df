import type { Member, NodeId, Notification } from '@jel/protocol'
import { isActive, lives, type Actor } from '../truth/actor.ts'
import { Bits } from '../engine/bits.ts'

/** Compares each node's view, from its notifications, with the truth. */
export class Views {
  /** The number of each life, by node id and incarnation. */
  readonly #lives = new Map<NodeId, Map<number, number>>()
  #count = 0
  readonly #views: Bits[] = []
  readonly #sizes: number[] = []
  readonly #actors: readonly Actor[]
  /** The present life of each node, by its index; undefined while it has not entered. */
  readonly #present: (number | undefined)[] = []
  /** The lives of the present nodes, by side of a partition. */
  #truth = new Map<number, Bits>()
  #stale = true
  /** The last node with a wrong view. Its view is most likely still wrong. */
  #culprit: Actor | undefined

  constructor(actors: readonly Actor[]) {
    this.#actors = actors
  }

  /** Returns the number of members in this node's view. */
  size(index: number): number {
    return this.#sizes[index] ?? 0
  }

  /** Returns true if this node was notified of the life and not of its end. */
  sees(index: number, life: number): boolean {
    return this.#views[index]?.has(life) ?? false
  }

  /** Returns the number of this member's life. */
  life({ id, incarnation }: Pick<Member, 'id' | 'incarnation'>): number {
    let lives = this.#lives.get(id)
    if (lives === undefined) {
      lives = new Map()
      this.#lives.set(id, lives)
    }
    let number = lives.get(incarnation)
    if (number === undefined) {
      number = this.#count++
      lives.set(incarnation, number)
    }
    return number
  }

  /** Returns the present life of the node, undefined while it has not entered. */
  present(index: number): number | undefined {
    return this.#present[index]
  }

  notified(index: number, id: NodeId, notification: Notification): void {
    const { type } = notification
    if (type !== 'joined' && type !== 'left' && type !== 'died') return
    const life = this.life(notification.member)
    const view = (this.#views[index] ??= new Bits())
    if (type === 'joined') {
      view.add(life)
      this.#sizes[index] = this.size(index) + 1
      if (notification.member.id === id) {
        this.#present[index] = life
        this.#stale = true
      }
    } else if (view.has(life)) {
      view.delete(life)
      this.#sizes[index] = this.size(index) - 1
    }
  }

  /** Call it after a change of the population. */
  changed(): void {
    this.#stale = true
  }

  /**
   * Returns true if the view of each node that runs and has a network is exact: it holds all living
   * nodes on its side of a partition. Nodes without a network are on no side. Returns false if no
   * node with a network runs.
   */
  allKnowAll(): boolean {
    if (this.#stale) this.#lookAgain()
    if (this.#culprit !== undefined && !this.#isRight(this.#culprit)) return false
    this.#culprit = this.#actors.find((actor) => !this.#isRight(actor))
    return this.#culprit === undefined && this.#actors.some(isActive)
  }

  /** The last node that a check found to have a wrong view. */
  get culprit(): Actor | undefined {
    return this.#culprit
  }

  /** Counts the nodes that run and have a network and whose view is exact. */
  right(): number {
    if (this.#stale) this.#lookAgain()
    return this.#actors.filter((actor) => isActive(actor) && this.#isRight(actor)).length
  }

  #isRight(actor: Actor): boolean {
    if (!isActive(actor)) return true
    const view = this.#views[actor.number]
    const truth = this.#truth.get(actor.side)
    return view !== undefined && this.#present[actor.number] !== undefined && truth !== undefined && view.equals(truth)
  }

  #lookAgain(): void {
    this.#stale = false
    this.#truth = new Map()
    for (const actor of this.#actors) {
      if (!lives(actor) || actor.silent || actor.alone) continue
      const truth = this.#truth.get(actor.side) ?? new Bits()
      // A node that has not entered is in no view: its life gets a number that no view can contain.
      truth.add(this.#present[actor.number] ?? this.#count)
      this.#truth.set(actor.side, truth)
    }
  }
}
