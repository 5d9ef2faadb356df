/** One attack on one pool: what was so before, during and after it. */
import { Attacker, type AttackerOptions, type HostileLink } from './attacker.ts'
import { VictimPool } from './pool.ts'
import type { Figures } from './pool-process.ts'

/** How long each phase takes, ms, and how many honest nodes there are. */
export interface Scale {
  readonly nodes: number
  readonly before: number
  readonly during: number
  readonly after: number
}

interface Trial {
  readonly pool: VictimPool
  readonly scale: Scale
  /** Starts a hostile host. All are stopped when the attack is over. */
  readonly attacker: (options?: AttackerOptions) => Promise<Attacker>
  /** What {@link Attack.prepare} gave. */
  readonly prepared: unknown
  /** Until when to go on, in the time of `performance.now`. */
  readonly until: number
  /** Attack until the time is up or none of the links is left: `act` once a turn, false when there is nothing more to do. */
  readonly attack: (links: readonly HostileLink[], act: (turn: number) => boolean | undefined) => Promise<void>
  /** Notes that the attack achieved what it must not. */
  readonly breach: (what: string) => void
  readonly sleep: (ms: number) => Promise<void>
}

export interface Attack {
  readonly name: string
  /** What the attacker does, in one sentence. */
  readonly does: string
  /** What is expected of the pool beyond nothing being lost; in one sentence. */
  readonly bound: string
  /** The pool sends the attacker away. */
  readonly isDropped?: boolean
  /** Newcomers get in meanwhile. */
  readonly staysOpen?: boolean
  /** Lives of honest nodes may end, as documented in SECURITY.md; everybody must be back in the end. */
  readonly endsLives?: boolean
  /** Honest nodes that stop with an error, as documented. */
  readonly fails?: number
  /** What the attack must not achieve beside what holds for all; undefined: it did not. */
  readonly check?: (outcome: Pick<Outcome, 'before' | 'during' | 'after'>, scale: Scale) => string | undefined
  /** What takes the attacker long, and the pool nothing; before anything is measured. */
  readonly prepare?: (pool: string, scale: Scale) => unknown
  /** Returns a remark on what was achieved. */
  readonly run: (trial: Trial) => Promise<string | undefined>
}

export interface Phase {
  readonly figures: Figures
  /** % of a core. */
  readonly processor: number
  /** MB. */
  readonly memory: number
  /** KB a second that the pool's process wrote. */
  readonly written: number
  /** Until all knew a newcomer, ms. */
  readonly newcomer: number
}

export interface Outcome {
  readonly attack: Attack
  readonly before: Phase
  readonly during: Phase
  readonly after: Phase
  /** Resident memory at most, MB. */
  readonly peak: number
  /** From the first hostile byte until the attacker was sent away, ms; undefined: it was not. */
  readonly dropped: number | undefined
  readonly remark: string | undefined
  /** What it achieved although it must not, or why it did not take place. */
  readonly breaches: readonly string[]
}

const sleep = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms))

/** How long a newcomer is waited for, ms. */
const timeout = 10_000

export async function fight(attack: Attack, scale: Scale): Promise<Outcome> {
  const pool = await VictimPool.start(scale.nodes)
  const attackers: Attacker[] = []
  const breaches: string[] = []
  try {
    const prepared = attack.prepare?.(pool.name, scale)
    await sleep(Math.min(3_000, scale.before)) // the last links are being built
    const before = await phase(pool, async () => await sleep(scale.before))
    let started = 0
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, pool.usage().memory)), 50)
    let remark: string | undefined
    const during = await phase(pool, async () => {
      started = performance.now()
      try {
        remark = await attack.run(trialOf(pool, scale, { attackers, prepared, breaches }))
      } catch (error) {
        // An attack that did not take place shows nothing.
        breaches.push(`the attacker gave up: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      }
    })
    clearInterval(watch)
    const ends = attackers.flatMap(({ links }) => links.flatMap(({ endedAt }) => endedAt ?? []))
    const isGone = attackers.every(({ links }) => links.every(({ isUp }) => !isUp))
    await Promise.all(attackers.map(async (attacker) => await attacker.stop()))
    attackers.length = 0
    await sleep(scale.after)
    const after = await phase(pool, async () => await sleep(scale.before))
    const dropped = isGone && ends.length > 0 ? Math.max(...ends) - started : undefined
    if (attack.staysOpen === true && Number.isNaN(during.newcomer)) breaches.push('no newcomer got in')
    if (Number.isNaN(after.newcomer)) breaches.push('no newcomer gets in any more')
    breaches.push(...[attack.check?.({ before, during, after }, scale)].filter((breach) => breach !== undefined))
    return { attack, before, during, after, peak: peak / 1e6, dropped, remark, breaches }
  } finally {
    await Promise.all(attackers.map(async (attacker) => await attacker.stop()))
    await pool.stop()
  }
}

async function phase(pool: VictimPool, act: () => Promise<void>): Promise<Phase> {
  const first = await pool.figures()
  const [usage, started] = [pool.usage(), performance.now()]
  const acting = act()
  const newcomer = await pool.newcomer(timeout)
  await acting
  const elapsed = performance.now() - started
  const spent = pool.usage()
  const figures = await pool.figures()
  return {
    figures,
    processor: ((spent.processor - usage.processor) / elapsed) * 100,
    memory: spent.memory / 1e6,
    written: (figures.written - first.written) / elapsed,
    newcomer,
  }
}

interface Course {
  readonly attackers: Attacker[]
  readonly prepared: unknown
  readonly breaches: string[]
}

function trialOf(pool: VictimPool, scale: Scale, { attackers, prepared, breaches }: Course): Trial {
  const until = performance.now() + scale.during
  return {
    pool,
    scale,
    prepared,
    until,
    sleep,
    breach: (what) => void breaches.push(what),
    attacker: async (options) => {
      const attacker = await Attacker.start(pool.name, options)
      attackers.push(attacker)
      return attacker
    },
    attack: async (links, act) => {
      for (let turn = 0; performance.now() < until && links.some(({ isUp }) => isUp); turn++) {
        if (act(turn) === false) break
        await new Promise((resolve) => setImmediate(resolve))
        const full = links.filter(({ isUp, stream }) => isUp && stream.writeBufferLength > 1_048_576)
        await Promise.all(full.map(async (link) => await link.drained()))
      }
    },
  }
}
