/** Creates and connects the parts of a node. */
import type { Config } from './base/config.ts'
import type { Encoded, NodeId, Reach } from './base/values.ts'
import { Context } from './context/context.ts'
import type { Timed, TimerName } from './context/timers.ts'
import type { Services } from './context/services.ts'
import { FailureDetector } from './detection/failure-detector.ts'
import { Broadcaster } from './dissemination/broadcaster.ts'
import { LazyPush } from './dissemination/lazy-push.ts'
import { AntiEntropy } from './dissemination/anti-entropy.ts'
import { Elections } from './election/elections.ts'
import { HealthReport } from './health-report.ts'
import { Intake } from './intake.ts'
import { Introduction } from './life/introduction.ts'
import { OwnLife } from './life/own-life.ts'
import { Redirection } from './life/redirection.ts'
import { Reception } from './reception.ts'
import { Records } from './records/records.ts'
import { Reporter } from './reporter.ts'
import { Signals } from './signal-delivery.ts'
import { Healer } from './topology/heal.ts'
import { Rings } from './topology/rings.ts'
import { UnknownStatements } from './unknown-statements.ts'
import { LinkMaintenance } from './topology/link-maintenance.ts'

export interface NodeOptions<Data extends Encoded = Uint8Array> {
  readonly id: NodeId
  readonly pool: string
  readonly location: string
  readonly tag: Uint8Array
  /** The last stored incarnation of this identity; 0 for a new identity. */
  readonly storedIncarnation: number
  /** The latest epochs that this identity knew, by election. Default: none. */
  readonly storedEpochs?: ReadonlyMap<string, number>
  /** How others reach this node at first. Default: direct. */
  readonly reach?: Reach
  readonly config: Config
  readonly services: Services<Data>
}

/** `Data` is the encoded form of messages, which only the context's codec interprets. */
export class Parts<Data extends Encoded = Encoded> {
  readonly context: Context<Data>
  readonly life: OwnLife
  readonly reception: Reception<Data>
  readonly introduction: Introduction
  readonly redirection: Redirection
  readonly reconciler: AntiEntropy
  readonly lazyPush: LazyPush
  readonly broadcaster: Broadcaster
  readonly rings: Rings
  readonly linkMaintenance: LinkMaintenance
  readonly detector: FailureDetector
  readonly healer: Healer
  readonly elections: Elections
  readonly signals: Signals
  readonly records: Records
  readonly reporter: Reporter
  readonly health: HealthReport
  readonly unknown: UnknownStatements
  readonly intake: Intake
  /** The part behind each timer. */
  readonly timed: Readonly<Record<TimerName, Timed>>

  constructor(options: NodeOptions<Data>) {
    const context = new Context(options)
    this.context = context
    this.life = new OwnLife(context, options)
    this.reception = new Reception(context)
    this.rings = new Rings(options.id, options.config.links.rings, context.facts.registry, context.view)
    this.lazyPush = new LazyPush(context)
    this.broadcaster = new Broadcaster(context, this.lazyPush)
    this.reporter = new Reporter(context)
    this.introduction = new Introduction(context)
    this.redirection = new Redirection(context)
    this.detector = new FailureDetector(context)
    this.linkMaintenance = new LinkMaintenance(context, this.detector, this.redirection)
    this.healer = new Healer(context)
    this.elections = new Elections(context, options.storedEpochs)
    this.signals = new Signals(context)
    this.records = new Records(context)
    this.reconciler = new AntiEntropy(context)
    this.health = new HealthReport(context, this)
    this.unknown = new UnknownStatements(context)
    this.intake = new Intake(context, this)
    this.timed = {
      ...this.detector.timed,
      introduction: this.introduction,
      redirection: this.redirection,
      reconciliation: this.reconciler,
      broadcast: this.broadcaster,
      lazyPush: this.lazyPush,
      links: this.linkMaintenance,
      healing: this.healer,
      election: this.elections,
      signal: this.signals,
      record: this.records,
      unknownStatement: this.unknown,
      tombstone: { due: () => context.view.tombstones.expire(context.now) },
    }
  }
}
