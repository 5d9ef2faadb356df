import type { Pool } from '@jel/jel'
import type { Input, MemberId } from '../core/io.ts'
import { MONITOR_CONSTANT } from '@jel/monitor'
import { meets } from './requirements.ts'
import type { Acceptance } from '../core/acceptance.ts'
import { encodeAcceptance, readAcceptance } from './acceptance.ts'
import { toString } from 'uint8arrays'

/** Maximum number of requirements whose results are kept for one member. A guess. */
const MAX_EVALUATED = 64
/**
 * The name of the constant of a member that takes part. The first byte of the constant states
 * whether the member has workers. The other bytes state whose programs they run.
 */
export const CONSTANT = 'jel.compute'
const [WITHOUT_WORKERS, WITH_WORKERS] = [0, 1]

/**
 * The members that take part in computing. A member declares this by a constant in its
 * joined-statement. A client declares nothing. Only members that have received a message from the
 * client know it.
 */
export class MemberList {
  readonly #pool: Pool
  readonly #isClient: boolean
  /** The owners whose programs this member runs; undefined: it has no workers. */
  readonly #accepts: Acceptance | undefined
  readonly #onInputs: (inputs: readonly Input[]) => void
  /** The members reported so far, with their constants as text. Clients have none. */
  readonly #known = new Map<MemberId, string | undefined>()
  /** Members that have sent a message. */
  readonly #spoke = new Set<MemberId>()
  #incarnation: number
  #isPlanned = false
  readonly #stop = new AbortController()

  /** @param accepts whose programs this member runs; undefined: it has no workers */
  constructor(
    pool: Pool,
    { isClient, accepts }: { isClient: boolean; accepts: Acceptance | undefined },
    onInputs: (inputs: readonly Input[]) => void,
  ) {
    this.#pool = pool
    this.#isClient = isClient
    this.#accepts = accepts
    this.#onInputs = onInputs
    this.#incarnation = pool.self.incarnation
  }

  /** The members that take part, without clients. */
  get members(): readonly MemberId[] {
    return [...this.#known].filter(([, constant]) => constant !== undefined).map(([id]) => id)
  }

  /** Whether a member takes part and has workers. */
  computes(id: MemberId): boolean {
    const said = this.#pool
      .members()
      .find((member) => member.id === id)
      ?.constants.get(CONSTANT)
    return said !== undefined && said[0] !== WITHOUT_WORKERS
  }

  async start(): Promise<void> {
    const { signal } = this.#stop
    for (const type of ['joined', 'left', 'died', 'updated'] as const) {
      this.#pool.addEventListener(type, () => this.#plan(), { signal })
    }
    if (!this.#isClient) await this.#pool.setConstant(CONSTANT, this.#constant)
    this.#compare()
  }

  /** A member sent a message, so it takes part if it is in the pool. */
  heard(from: MemberId): void {
    if (this.#known.has(from) || this.#spoke.has(from)) return
    this.#spoke.add(from)
    this.#compare()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    if (!this.#isClient) await this.#pool.setConstant(CONSTANT, undefined).catch(() => {})
  }

  get #constant(): Uint8Array {
    return this.#accepts === undefined ? Uint8Array.of(WITHOUT_WORKERS) : Uint8Array.of(WITH_WORKERS, ...encodeAcceptance(this.#accepts))
  }

  /** Compares once for all events of this turn. */
  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      if (!this.#stop.signal.aborted) this.#compare()
    })
  }

  #compare(): void {
    const members = this.#pool.members()
    const inputs: Input[] = []
    const { id: self, incarnation } = this.#pool.self
    if (incarnation > this.#incarnation) inputs.push({ type: 'reentered' })
    this.#incarnation = incarnation
    const present = new Set<MemberId>()
    for (const member of members) {
      const { id, location, constants } = member
      const said = constants.get(CONSTANT)
      const isClient = said === undefined
      if (id === self || (isClient && !this.#spoke.has(id))) continue
      present.add(id)
      // Requirements of jobs are about the other constants of the member.
      const constant = said && [said, constants.get(MONITOR_CONSTANT) ?? new Uint8Array()].map((each) => toString(each, 'base16')).join(' ')
      if (this.#known.has(id) && this.#known.get(id) === constant) continue
      this.#known.set(id, constant)
      const computes = said?.[0] !== WITHOUT_WORKERS
      const stated = said !== undefined && computes ? readAcceptance(said.subarray(1)) : undefined
      const accepts = stated && { ...stated, meets: memoized((requirements) => meets(member, requirements)) }
      inputs.push({ type: 'joined', member: { id, location, isClient, computes, accepts } })
    }
    for (const id of this.#known.keys()) {
      if (present.has(id)) continue
      this.#known.delete(id)
      this.#spoke.delete(id)
      inputs.push({ type: 'gone', id })
    }
    if (inputs.length > 0) this.#onInputs(inputs)
  }
}

/** Jobs of strangers may have requirements that take a while to evaluate. */
function memoized(evaluate: (requirements: string) => boolean): (requirements: string) => boolean {
  const known = new Map<string, boolean>()
  return (requirements) => {
    const value = known.get(requirements) ?? evaluate(requirements)
    if (known.size >= MAX_EVALUATED) known.clear()
    known.set(requirements, value)
    return value
  }
}
