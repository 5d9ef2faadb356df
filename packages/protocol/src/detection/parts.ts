/**
 * Creates the parts of the failure detector, in order. Each part calls only parts created before
 * it.
 *
 * - `direct` probes a member. `looks` does so if there is only a hint.
 * - `own` accuses a member. `confirmation` decides whether the accusers suffice for a death.
 * - `verdict` decides after the answers of helpers. It calls `own` to accuse the member, `proofs`
 *   to note that the member lives, or `direct` to probe it again. Or it believes a death.
 * - `indirect` asks helpers, and passes their answers to `verdict`. `helper` answers other askers.
 * - `lifecycle` begins `indirect` after a member did not answer `direct` in time.
 * - `exchange` and `accusations` take in what other nodes sign, and report it to `lifecycle`.
 *
 * An earlier part that finds something for a later part returns the finding to its caller.
 */
import type { Milliseconds, NodeId } from '../base/values.ts'
import type { Context } from '../context/context.ts'
import type { Timed, TimerName } from '../context/timers.ts'
import { HelpersVerdict } from './helpers-verdict.ts'
import { Contacts } from './probing/contacts.ts'
import { Heartbeats } from './probing/heartbeats.ts'
import { ObserverTurns } from './probing/observer-turns.ts'
import { ProbeScheduler } from './probing/probe-scheduler.ts'
import { Batcher } from './suspicion/batcher.ts'
import { DirectProbes } from './suspicion/direct-probes.ts'
import { IndirectProbeHelper } from './suspicion/indirect-probe-helper.ts'
import { IndirectProbes, usualAnswer, type HelperSources } from './suspicion/indirect-probes.ts'
import { Looks } from './suspicion/looks.ts'
import { ProofsOfLife } from './suspicion/proofs-of-life.ts'
import { Suspicions } from './suspicion/suspicions.ts'
import { SuspicionLifecycle } from './suspicion-lifecycle.ts'
import { AccusationSpread } from './verdict/accusation-spread.ts'
import { Accusations } from './verdict/accusations.ts'
import { Confirmation } from './verdict/confirmation.ts'
import { DisputedDeaths } from './verdict/disputed-deaths.ts'
import { OwnAccusations } from './verdict/own-accusations.ts'
import { RefutationExchange } from './verdict/refutation-exchange.ts'
import { Refutations } from './verdict/refutations.ts'

/** The timers of failure detection. */
type DetectionTimer = Extract<
  TimerName,
  'health' | 'probe' | 'suspicion' | 'indirectProbe' | 'helper' | 'refutation' | 'disputedDeath' | 'detectionBatch'
>

export type DetectionParts = ReturnType<typeof createDetectionParts>

export function createDetectionParts(context: Context) {
  const suspicions = new Suspicions(context)
  const contacts = new Contacts(context)
  const heartbeats = new Heartbeats(context)
  const scheduler = new ProbeScheduler(context)
  const refutations = new Refutations(context, heartbeats)
  const batcher = new Batcher(context, () => (scheduler.isSlow ? scheduler.roundTrip : 0))
  const turns = new ObserverTurns(
    context,
    () => refutations.heartbeat,
    (id) => scheduler.observed.has(id),
  )
  const basis = { suspicions, contacts, heartbeats, scheduler, refutations, batcher }

  const proofs = new ProofsOfLife(context, basis)
  const direct = new DirectProbes(context, basis)
  const looks = new Looks(context, { suspicions, proofs, direct })
  const helper = new IndirectProbeHelper(context, { ...basis, direct, looks })

  const confirmation = new Confirmation(context, basis)
  const spread = new AccusationSpread(context, batcher, suspicions)
  const own = new OwnAccusations(context, { ...basis, confirmation, spread })
  const disputed = new DisputedDeaths(context, confirmation)
  const verdict = new HelpersVerdict(context, { suspicions, scheduler, direct, proofs, looks, confirmation, own })

  const sources: HelperSources = {
    observersOf: (id) => suspicions.observersOf(id),
    canTell: (id) => direct.canTell(id) || context.now >= direct.waitsUntil(id),
    isSuspected: (id) => suspicions.get(id)?.isOwn === true,
    // The asker waits longer than the helper: the helper's answer takes time, too.
    get timeout(): Milliseconds {
      return scheduler.timeout * 1.5
    },
    get usual(): Milliseconds {
      return usualAnswer(scheduler.roundTrip)
    },
    // A request over each link costs far less than an accusation. Possibly only one linked peer
    // reaches the member.
    wantsAll: (id: NodeId) => suspicions.get(id)?.evidence !== 'refused',
  }
  const indirect = new IndirectProbes(context, batcher, sources, verdict)
  const lifecycle = new SuspicionLifecycle(context, {
    ...basis,
    proofs,
    direct,
    looks,
    helper,
    confirmation,
    own,
    disputed,
    verdict,
    indirect,
  })
  const exchange = new RefutationExchange(context, { ...basis, confirmation, lifecycle })
  const accusations = new Accusations(context, { ...basis, confirmation, spread, exchange, lifecycle })

  const dueSuspicions = (): void => {
    lifecycle.probe()
    accusations.due()
    lifecycle.askAgain()
    suspicions.arm()
  }
  const dueProbes = (): void => {
    for (const id of scheduler.due()) lifecycle.fellSilent(id)
  }
  /** The part behind each timer. */
  const timed: Readonly<Record<DetectionTimer, Timed>> = {
    health: { due: () => scheduler.recover() },
    probe: { due: dueProbes },
    suspicion: { due: dueSuspicions },
    indirectProbe: indirect,
    helper,
    refutation: { due: () => exchange.publish() },
    disputedDeath: disputed,
    detectionBatch: batcher,
  }
  return {
    ...basis,
    turns,
    proofs,
    direct,
    looks,
    helper,
    confirmation,
    spread,
    disputed,
    verdict,
    indirect,
    lifecycle,
    exchange,
    accusations,
    timed,
  }
}
