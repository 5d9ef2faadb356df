/**
 * Creates and connects the parts of the failure detector. The parts report their findings to the
 * lifecycle of suspicions, which calls the next part:
 *
 * - `direct` probes a member. If the member does not answer, `indirect` asks helpers.
 * - `indirect` passes their answers to the verdict. The verdict has the member accused
 *   (`accusations`), relayed (`proofs`) or probed again (`direct`), or believes a certificate.
 * - `accusations` reports the accusations and refutations that others sign.
 * - `helper` answers other askers. It asks the verdict whether this node itself knows that a member
 *   is gone.
 * - `disputed` holds a death back. When the wait is over, this node believes the death.
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
import { IndirectProbes, usualAnswer } from './suspicion/indirect-probes.ts'
import { ProofsOfLife } from './suspicion/proofs-of-life.ts'
import { Suspicions } from './suspicion/suspicions.ts'
import { SuspicionLifecycle } from './suspicion-lifecycle.ts'
import { Accusations } from './verdict/accusations.ts'
import { DisputedDeaths } from './verdict/disputed-deaths.ts'
import { Refutations } from './verdict/refutations.ts'

/** The timers of failure detection. */
export type DetectionTimer = Extract<
  TimerName,
  'health' | 'probe' | 'suspicion' | 'indirectProbe' | 'helper' | 'refutation' | 'disputedDeath' | 'detectionBatch'
>

export class DetectionParts {
  readonly suspicions: Suspicions
  readonly contacts: Contacts
  readonly heartbeats: Heartbeats
  readonly refutations: Refutations
  readonly scheduler: ProbeScheduler
  readonly batcher: Batcher
  readonly turns: ObserverTurns
  readonly proofs: ProofsOfLife
  readonly direct: DirectProbes
  readonly helper: IndirectProbeHelper
  readonly indirect: IndirectProbes
  readonly accusations: Accusations
  readonly disputed: DisputedDeaths
  readonly verdict: HelpersVerdict
  readonly lifecycle: SuspicionLifecycle
  /** The part behind each timer. */
  readonly timed: Readonly<Record<DetectionTimer, Timed>>

  constructor(context: Context) {
    const suspicions = new Suspicions(context)
    const refutations = new Refutations(context)
    const scheduler = new ProbeScheduler(context, (id) => this.lifecycle.fellSilent(id))
    const isObserved = (id: NodeId): boolean => scheduler.observed.has(id)
    this.suspicions = suspicions
    this.contacts = new Contacts(context)
    this.heartbeats = new Heartbeats(context)
    this.refutations = refutations
    this.scheduler = scheduler
    this.batcher = new Batcher(context, () => (scheduler.isSlow ? scheduler.roundTrip : 0))
    this.turns = new ObserverTurns(context, () => refutations.heartbeat, isObserved)
    this.proofs = new ProofsOfLife(context, this)
    this.direct = new DirectProbes(context, this, (suspicion) => this.lifecycle.timedOut(suspicion))
    this.helper = new IndirectProbeHelper(context, this, {
      canTell: (id) => this.verdict.canTell(id),
      // If a helper misses a member that it observes, it probes that member for itself.
      onMissed: (id) => this.lifecycle.suspect(id),
    })
    const sources = {
      observersOf: (id: NodeId) => suspicions.observersOf(id),
      canTell: (id: NodeId) => this.verdict.canTell(id) || context.now >= this.verdict.waitsUntil(id),
      isSuspected: (id: NodeId) => suspicions.get(id)?.isOwn === true,
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
    this.indirect = new IndirectProbes(context, this.batcher, sources, {
      onMissed: (id) => this.verdict.missed(id),
      onUnknown: (id) => this.verdict.unknown(id),
      onNoAnswer: (id) => this.verdict.unanswered(id),
      onHelperSilent: (helper) => {
        if (!scheduler.isSlow) this.lifecycle.suspect(helper)
      },
    })
    this.accusations = new Accusations(context, this, {
      onReported: (suspicion, isDirect) => this.lifecycle.reported(suspicion, isDirect),
      onRefuted: (id, isFresh) => this.lifecycle.refuted(id, isFresh),
    })
    this.disputed = new DisputedDeaths(context, this.accusations.confirmation)
    this.verdict = new HelpersVerdict(context, this)
    this.lifecycle = new SuspicionLifecycle(context, this)
    this.timed = {
      health: scheduler.health,
      probe: scheduler,
      suspicion: this.lifecycle,
      indirectProbe: this.indirect,
      helper: this.helper,
      refutation: { due: () => this.accusations.refutationExchange.publish() },
      disputedDeath: this.disputed,
      detectionBatch: this.batcher,
    }
  }
}
