/** Runs one attack on one pool, and measures the pool before, during and after it. */
import { setImmediate as turnEnded, setTimeout as sleep } from 'node:timers/promises'
import { Attacker, type AttackerOptions, type HostileLink } from './attacker.ts'
import { VictimPool } from './pool.ts'
import type { Figures } from './pool-process.ts'

/** Number of honest nodes, and length of each phase, ms. */
export interface Scale {
  readonly nodes: number
  readonly before: number
  readonly during: number
  readonly after: number
}

interface Trial {
  readonly pool: VictimPool
  readonly scale: Scale
  /** Starts a hostile host. The end of the attack stops all hostile hosts. */
  readonly attacker: (options?: AttackerOptions) => Promise<Attacker>
  /**
   * Enters the pool by a link to the node of this index. Default: with a new hostile host. The time
   * of the attack begins when the last host has entered.
   */
  readonly enter: (index?: number, mallory?: Attacker) => Promise<{ readonly mallory: Attacker; readonly link: HostileLink }>
  /** Starts a hostile host that joins over a link to each node. */
  readonly everywhere: () => Promise<{ readonly mallory: Attacker; readonly links: readonly HostileLink[] }>
  /** The result of {@link Attack.prepare}. */
  readonly prepared: unknown
  /** Whether the time of the attack is up. */
  readonly isOver: () => boolean
  /**
   * Calls `act` once a turn until the time is up or all links have ended. `act` returns false when
   * the attack has nothing more to send.
   */
  readonly attack: (links: readonly HostileLink[], act: (turn: number) => boolean | undefined) => Promise<void>
  /** Records that the attack broke a bound. */
  readonly breach: (what: string) => void
  readonly sleep: (ms: number) => Promise<unknown>
}

export interface Attack {
  readonly name: string
  /** The attacker's actions, in one sentence. */
  readonly does: string
  /** The property that the pool keeps besides losing no node, in one sentence. */
  readonly bound: string
  /** The pool must drop the attacker. */
  readonly isDropped?: boolean
  /** Newcomers must be able to enter during the attack. */
  readonly staysOpen?: boolean
  /**
   * The attack may end incarnations of honest nodes, as SECURITY.md documents. All these nodes must
   * be back at the end.
   */
  readonly endsLives?: boolean
  /** Number of honest nodes that stop with an error, as documented. Default: 0. */
  readonly fails?: number
  /**
   * Checks a bound of this attack, besides the checks of all attacks. Returns undefined if the
   * bound holds, otherwise the breach.
   */
  readonly check?: (outcome: Pick<Outcome, 'before' | 'during' | 'after'>, scale: Scale) => string | undefined
  /**
   * Makes data before the measurement. It takes the attacker long, and costs the pool nothing.
   */
  readonly prepare?: (pool: string, scale: Scale) => unknown
  /** Returns a remark on the attack's effect. */
  readonly run: (trial: Trial) => Promise<string | undefined>
}

export interface Phase {
  readonly figures: Figures
  /** Processor time of the pool's process, % of a core. */
  readonly processor: number
  /** Resident memory of the pool's process, MB. */
  readonly memory: number
  /** KB a second that the pool's process wrote. */
  readonly written: number
  /** Time until all nodes saw a newcomer, ms; NaN if some node did not see it in time. */
  readonly newcomer: number
}

export interface Outcome {
  readonly attack: Attack
  readonly before: Phase
  readonly during: Phase
  readonly after: Phase
  /** Largest resident memory of the pool's process, MB. */
  readonly peak: number
  /**
   * Time from the last entry of a hostile host until the pool had dropped the attacker, ms;
   * undefined if the pool did not drop it.
   */
  readonly dropped: number | undefined
  readonly remark: string | undefined
  /** Broken bounds, or the reason why the attack did not take place. */
  readonly breaches: readonly string[]
}

/**
 * A member enters again at most once in 5 s. After this time, ms, every honest member is in the
 * pool again. Guess.
 */
const comebackTime = 10_000

export async function fight(attack: Attack, scale: Scale): Promise<Outcome> {
  const pool = await VictimPool.start(scale.nodes)
  const attackers: Attacker[] = []
  const breaches: string[] = []
  try {
    const prepared = attack.prepare?.(pool.name, scale)
    await sleep(Math.min(3_000, scale.before)) // until the last links are built
    const before = await phase(pool, () => sleep(scale.before))
    const clock = { began: 0 }
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, pool.usage().memory)), 50)
    let remark: string | undefined
    const during = await phase(pool, async () => {
      clock.began = performance.now()
      try {
        remark = await attack.run(trialOf(pool, scale, { attackers, prepared, breaches, clock }))
      } catch (error) {
        // An attack that failed to run proves nothing, so it counts as a breach.
        breaches.push(`the attacker gave up: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      }
    })
    clearInterval(watch)
    const ends = attackers.flatMap(({ links }) => links.flatMap(({ endedAt }) => endedAt ?? []))
    const isGone = attackers.every(({ links }) => links.every(({ isUp }) => !isUp))
    await Promise.all(attackers.map(async (attacker) => await attacker.stop()))
    attackers.length = 0
    await sleep(attack.endsLives === true ? Math.max(scale.after, comebackTime) : scale.after)
    const after = await phase(pool, () => sleep(scale.before))
    const dropped = isGone && ends.length > 0 ? Math.max(...ends) - clock.began : undefined
    if (attack.staysOpen === true && Number.isNaN(during.newcomer)) breaches.push('no newcomer got in')
    if (Number.isNaN(after.newcomer)) breaches.push('no newcomer gets in after the attack')
    breaches.push(...[attack.check?.({ before, during, after }, scale)].filter((breach) => breach !== undefined))
    return { attack, before, during, after, peak: peak / 1e6, dropped, remark, breaches }
  } finally {
    await Promise.all(attackers.map(async (attacker) => await attacker.stop()))
    await pool.stop()
  }
}

async function phase(pool: VictimPool, act: () => Promise<unknown>): Promise<Phase> {
  const first = await pool.remote.figures()
  const [usage, started] = [pool.usage(), performance.now()]
  const [newcomer] = await Promise.all([pool.remote.newcomer(pool.name, pool.address(1)), act()])
  const elapsed = performance.now() - started
  const spent = pool.usage()
  const figures = await pool.remote.figures()
  return {
    figures,
    processor: ((spent.processor - usage.processor) / elapsed) * 100,
    memory: spent.memory / 1e6,
    written: (figures.written - first.written) / elapsed,
    newcomer,
  }
}

interface TrialState {
  readonly attackers: Attacker[]
  readonly prepared: unknown
  readonly breaches: string[]
  /** `began`: time (`performance.now`) at which the last hostile host entered. */
  readonly clock: { began: number }
}

function trialOf(pool: VictimPool, scale: Scale, { attackers, prepared, breaches, clock }: TrialState): Trial {
  const isOver = (): boolean => performance.now() >= clock.began + scale.during
  const start = async (options?: AttackerOptions): Promise<Attacker> => {
    const attacker = await Attacker.start(pool.name, options)
    attackers.push(attacker)
    return attacker
  }
  const enter = async (mallory: Attacker, address: string): Promise<HostileLink> => {
    const link = await mallory.enter(address)
    clock.began = performance.now()
    return link
  }
  return {
    pool,
    scale,
    prepared,
    isOver,
    sleep,
    breach: (what) => void breaches.push(what),
    attacker: start,
    enter: async (index, known) => {
      const mallory = known ?? (await start())
      return { mallory, link: await enter(mallory, pool.address(index)) }
    },
    everywhere: async () => {
      const mallory = await start()
      return { mallory, links: await Promise.all(pool.addresses.map((address) => enter(mallory, address))) }
    },
    attack: async (links, act) => {
      for (let turn = 0; !isOver() && links.some(({ isUp }) => isUp); turn++) {
        if (act(turn) === false) break
        await turnEnded()
        const full = links.filter(({ isUp, stream }) => isUp && stream.writeBufferLength > 1_048_576)
        await Promise.all(full.map(async (link) => await link.drained()))
      }
    },
  }
}
