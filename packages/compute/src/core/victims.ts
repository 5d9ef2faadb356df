import { pickIndex, pickSome } from '@jel/protocol'
import type { Context } from './context.ts'
import type { MemberId } from './io.ts'

/**
 * The members from which this member steals: a few near and a few far members. Each victim costs an
 * open stream, and a dial takes 11 ms (measured). The choices of all members form a random graph.
 * Along this graph work spreads to all members. After requests without a task, this member replaces
 * some victims.
 */
export class Victims {
  readonly #context: Context
  #near: MemberId[] = []
  #far: MemberId[] = []
  #candidates: ReadonlySet<MemberId> = new Set()
  #version = -1

  constructor(context: Context) {
    this.#context = context
  }

  near(): readonly MemberId[] {
    this.#follow()
    return this.#near
  }

  far(): readonly MemberId[] {
    this.#follow()
    return this.#far
  }

  /**
   * Requests brought no task: replaces this victim, if there is another member.
   */
  exchange(id: MemberId, near: boolean): void {
    const { members, self, random } = this.#context
    const chosen = near ? this.#near : this.#far
    const at = chosen.indexOf(id)
    if (at < 0 || chosen.length < this.#context.config.victims) return
    const others = members.participants().filter((other) => other !== self && members.isNear(other) === near && !chosen.includes(other))
    const other = others[pickIndex(random, others.length)]
    if (other !== undefined) chosen[at] = other
  }

  #follow(): void {
    const { members, self } = this.#context
    if (this.#version === members.version) return
    this.#version = members.version
    const near: MemberId[] = []
    const far: MemberId[] = []
    for (const id of members.participants()) if (id !== self) (members.isNear(id) ? near : far).push(id)
    this.#near = this.#keep(this.#near, near)
    this.#far = this.#keep(this.#far, far)
    this.#candidates = new Set([...near, ...far])
  }

  /**
   * Keeps the former victims that are still candidates, and fills up at random. A newcomer takes a
   * place with the same probability as each other candidate. Otherwise nobody would steal from it.
   */
  #keep(former: readonly MemberId[], candidates: readonly MemberId[]): MemberId[] {
    const { random, config } = this.#context
    const present = new Set(candidates)
    const kept = former.filter((id) => present.delete(id))
    const chosen = [...kept, ...pickSome(random, [...present], config.victims - kept.length)]
    for (const id of candidates) {
      if (this.#candidates.has(id) || chosen.includes(id) || random() * candidates.length >= config.victims) continue
      chosen[pickIndex(random, chosen.length)] = id
    }
    return chosen
  }
}
