import type { Member, Milliseconds, Notification } from '@jel/protocol'
import type { NodeNumbers } from './node-numbers.ts'
import type { Gossip, Person, Remark } from './distributed-message.ts'
import type { DistributedSettings } from './distributed-settings.ts'
import { pickDistinct } from './pick.ts'

/** States of a member in a node's view. */
const unknown = 0
const present = 1
/** The node knows the member's end. The next `tidy` removes the member and reports the end. */
const ending = 2
const over = 3

type How = 'left' | 'died'

interface Host {
  readonly now: Milliseconds
  random(): number
  notify(notification: Notification): void
}

/**
 * The member list of the distributed implementation, with its failure detection by time-out and
 * witnesses (§5.2). The list consists of columns of numbers. So thousands of lists with thousands
 * of members each fit into memory.
 */
export class DistributedView {
  readonly #host: Host
  readonly #settings: DistributedSettings
  readonly #numbers: NodeNumbers
  readonly #self: number
  /**
   * Columns, by the number of the member: state, time of the last sighting, and place in the list.
   */
  #states = new Uint8Array(64)
  #seen = new Float64Array(64)
  #places = new Int32Array(64)
  /** Numbers of the members in the list. Its length is {@link #size}. */
  #list = new Int32Array(64)
  #size = 0
  readonly #witnesses = new Map<number, Set<number>>()
  readonly #over = { died: [] as number[], left: [] as number[] }
  readonly #endings = new Map<number, How>()
  /** No member can time out before this time. */
  #timesOut: Milliseconds = Infinity

  constructor(host: Host, settings: DistributedSettings, numbers: NodeNumbers, self: Person) {
    this.#host = host
    this.#settings = settings
    this.#numbers = numbers
    this.#self = self.number
    this.#add(self.number, host.now)
  }

  members(): Member[] {
    return Array.from(this.#list.subarray(0, this.#size), (number) => this.#numbers.person(number).member)
  }

  /** Returns a random part of the view. It always contains the node itself, as just seen. */
  say(): Gossip {
    const { now } = this.#host
    this.#seen[this.#self] = now
    const persons = this.#some(this.#settings.gossipSize)
    if (!persons.includes(this.#self)) persons[0] = this.#self
    const unseen = new Float64Array(persons.length)
    let remarks: Map<number, Remark> | undefined
    for (let i = 0; i < persons.length; i++) {
      const number = persons[i] as number
      unseen[i] = now - (this.#seen[number] as number)
      const witnesses = this.#witnesses.get(number)
      const ended = this.#endings.get(number)
      if (witnesses !== undefined || ended !== undefined) (remarks ??= new Map()).set(number, { witnesses: [...(witnesses ?? [])], ended })
    }
    const { died, left } = this.#over
    return { persons, unseen, remarks, died: { persons: died, count: died.length }, left: { persons: left, count: left.length } }
  }

  hear({ persons, unseen, remarks, died, left }: Gossip): void {
    const { now } = this.#host
    for (let i = 0; i < persons.length; i++) {
      const number = persons[i] as number
      const seen = now - (unseen[i] as number)
      const state = this.#state(number)
      if (state === unknown) this.#add(number, seen)
      else if (state !== over && seen > (this.#seen[number] as number)) this.#seen[number] = seen
    }
    for (const [number, remark] of remarks ?? []) this.#heed(number, remark)
    for (let i = 0; i < died.count; i++) this.#heardEnd(died.persons[i] as number, 'died')
    for (let i = 0; i < left.count; i++) this.#heardEnd(left.persons[i] as number, 'left')
  }

  /** Handles a member's own announcement of its leave. */
  heardLeave({ number }: Person): void {
    if (this.#state(number) === unknown) this.#add(number, this.#host.now)
    this.#end(number, 'left')
    this.tidy()
  }

  /**
   * Removes members whose end the node knows. Before that, it declares a suspect dead if the
   * suspect has at least as many witnesses as the list has unsuspected members.
   */
  tidy(): void {
    this.#seen[this.#self] = this.#host.now
    const suspects = this.#suspects()
    const alive = this.#size - suspects.length
    for (const suspect of suspects) if ((this.#witnesses.get(suspect)?.size ?? 0) >= alive) this.#end(suspect, 'died')
    if (this.#endings.size === 0) return
    const endings = [...this.#endings]
    this.#endings.clear()
    for (const [number, how] of endings) this.#remove(number, how)
  }

  /** Returns some of the suspects: members without a sighting for too long. The node calls them. */
  suspects(): Person[] {
    const { pingCount } = this.#settings
    return pickDistinct(this.#suspects(), pingCount, () => this.#host.random()).map((number) => this.#numbers.person(number))
  }

  reached({ number }: Person): void {
    if (this.#state(number) !== present) return
    this.#seen[number] = this.#host.now
    this.#witnesses.delete(number)
  }

  unreached({ number }: Person): void {
    this.#heed(number, { witnesses: [this.#self], ended: undefined })
  }

  #heed(number: number, { witnesses, ended }: Remark): void {
    if (this.#state(number) !== present) return
    if (ended !== undefined) {
      this.#end(number, ended)
      return
    }
    const known = this.#witnesses.get(number) ?? new Set()
    for (const witness of witnesses) known.add(witness)
    this.#witnesses.set(number, known)
    if (this.#timedOut(number) && known.size > this.#settings.witnesses) this.#end(number, 'died')
  }

  #timedOut(number: number): boolean {
    return this.#host.now > (this.#seen[number] as number) + this.#settings.deadTimeout
  }

  #suspects(): number[] {
    if (this.#host.now < this.#timesOut) return []
    let oldest = Infinity
    const suspects: number[] = []
    for (let place = 0; place < this.#size; place++) {
      const number = this.#list[place] as number
      if (this.#states[number] !== present || number === this.#self) continue
      oldest = Math.min(oldest, this.#seen[number] as number)
      if (this.#timedOut(number)) suspects.push(number)
    }
    this.#timesOut = oldest + this.#settings.deadTimeout
    return suspects
  }

  #heardEnd(number: number, how: How): void {
    const state = this.#state(number)
    if (state === present) this.#end(number, how)
    else if (state === unknown) this.#isOver(number, how)
  }

  #end(number: number, how: How): void {
    if (this.#state(number) !== present || number === this.#self) return
    this.#states[number] = ending
    this.#witnesses.delete(number)
    this.#endings.set(number, how)
  }

  #state(number: number): number {
    return this.#states[number] ?? unknown
  }

  #add(number: number, seen: Milliseconds): void {
    this.#reserve(number)
    this.#states[number] = present
    this.#seen[number] = seen
    this.#places[number] = this.#size
    this.#list[this.#size++] = number
    this.#timesOut = Math.min(this.#timesOut, seen + this.#settings.deadTimeout)
    this.#host.notify({ type: 'joined', member: this.#numbers.person(number).member })
  }

  #remove(number: number, how: How): void {
    const last = this.#list[--this.#size] as number
    const place = this.#places[number] as number
    this.#list[place] = last
    this.#places[last] = place
    this.#isOver(number, how)
    this.#host.notify({ type: how, member: this.#numbers.person(number).member })
  }

  #isOver(number: number, how: How): void {
    this.#reserve(number)
    this.#states[number] = over
    this.#over[how].push(number)
  }

  /**
   * Returns `count` members of the list, each equally likely. These are the first steps of a
   * shuffle. They may change the order, because the order of the list has no meaning.
   */
  #some(count: number): Int32Array {
    const wanted = Math.min(count, this.#size)
    for (let i = 0; i < wanted; i++) {
      const drawn = i + Math.floor(this.#host.random() * (this.#size - i))
      const number = this.#list[drawn] as number
      const other = this.#list[i] as number
      this.#list[drawn] = other
      this.#places[other] = drawn
      this.#list[i] = number
      this.#places[number] = i
    }
    return this.#list.slice(0, wanted)
  }

  /** Makes space for this number in the columns, and for one more member in the list. */
  #reserve(number: number): void {
    const { length } = this.#states
    if (number < length && this.#size < length) return
    const larger = Math.max(number + 1, length * 2)
    this.#states = grown(this.#states, new Uint8Array(larger))
    this.#seen = grown(this.#seen, new Float64Array(larger))
    this.#places = grown(this.#places, new Int32Array(larger))
    this.#list = grown(this.#list, new Int32Array(larger))
  }
}

function grown<A extends Uint8Array | Float64Array | Int32Array>(old: A, larger: A): A {
  larger.set(old)
  return larger
}
