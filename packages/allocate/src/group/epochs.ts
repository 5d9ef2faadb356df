import { Agreement, type AgreementMessage, type AgreementSend } from './agreement.ts'
import type { Said } from './messages.ts'
import type { Sites } from './rank-effect.ts'
import { fromSaid, toSaid, type RankList } from './rank-list.ts'
import { STARTER } from './wanted.ts'

/**
 * Why a rank asks for the next epoch. `shrink`: some ranks are lost, and it goes on without them.
 * `grow`: it is at a boundary of its program, where newcomers may join.
 */
export type Why = 'shrink' | 'grow'

/** Sends messages of the agreement about an epoch. */
export type SendAbout = (epoch: number, sends: readonly AgreementSend<unknown, unknown>[]) => void

/**
 * The epochs of a group at one of its ranks. All ranks agree on the ranks of the next epoch: the
 * ranks that are left, in their order. If the group grows, its starter leads the agreement, and it
 * may add newcomers at the end. Only the starter knows newcomers, so any other leader decides
 * without them.
 */
export class Epochs {
  readonly #self: string
  readonly #grows: boolean
  /** The places of ranks that are lost, and the starter if it is gone. */
  readonly #gone: ReadonlySet<string>
  readonly #send: SendAbout
  #epoch = 0
  #ranks: readonly string[]
  #sites: Sites
  /** The agreement about the next epoch, from its first message on. */
  #next: Agreement<string, RankList> | undefined
  /**
   * The agreement about this epoch. A rank that leads it now may not know the decision yet, so this
   * rank still takes part in it.
   */
  #former: Agreement<string, RankList> | undefined
  /** Messages about epochs after the next one. */
  #early: { readonly from: string; readonly epoch: number; readonly said: Said }[] = []
  #isUrgent = false

  constructor(self: string, { ranks, sites }: RankList, grows: boolean, gone: ReadonlySet<string>, send: SendAbout) {
    this.#self = self
    this.#ranks = ranks
    this.#sites = sites
    this.#grows = grows
    this.#gone = gone
    this.#send = (epoch, sends) =>
      send(
        epoch,
        sends.map(({ to, message }) => ({ to, message: toSaid(message as AgreementMessage<unknown, RankList>) as never })),
      )
  }

  get epoch(): number {
    return this.#epoch
  }

  get ranks(): readonly string[] {
    return this.#ranks
  }

  get sites(): Sites {
    return this.#sites
  }

  /** Whether some rank goes on without the lost ranks. Then the calls of all ranks must fail. */
  get isUrgent(): boolean {
    return this.#isUrgent
  }

  get awaited(): readonly string[] {
    return this.#next?.awaited ?? []
  }

  /** This rank asks for the next epoch. */
  report(why: Why): void {
    this.#isUrgent ||= why === 'shrink'
    this.#send(this.#epoch + 1, this.#open().report(why))
  }

  take(from: string, epoch: number, said: Said): void {
    if (epoch === this.#epoch && this.#former !== undefined) this.#send(epoch, this.#former.take(from, fromSaid(said)))
    if (epoch <= this.#epoch || !(this.#ranks.includes(from) || (this.#grows && from === STARTER))) return
    if (epoch > this.#epoch + 1) {
      if (this.#early.length < this.#ranks.length * 2) this.#early.push({ from, epoch, said })
      return
    }
    if ('decided' in said && !isNext(said.decided, this.#ranks, this.#grows)) return
    this.#isUrgent ||= 'report' in said && said.report === 'shrink'
    this.#send(epoch, this.#open().take(from, fromSaid(said)))
  }

  /** A rank is lost, or the starter is gone. */
  gone(place: string): void {
    if (this.#former !== undefined) this.#send(this.#epoch, this.#former.gone(place))
    if (this.#next !== undefined) this.#send(this.#epoch + 1, this.#next.gone(place))
  }

  /**
   * Begins the next epoch, if its ranks are decided. Returns the newcomers among them; undefined:
   * nothing is decided.
   */
  advance(): readonly string[] | undefined {
    const decision = this.#next?.decision
    if (decision === undefined) return undefined
    const before = new Set(this.#ranks)
    this.#former = this.#next
    this.#begin(this.#epoch + 1, decision.value)
    return this.#ranks.filter((each) => !before.has(each))
  }

  /** This rank, a newcomer, joins the other ranks. */
  join(epoch: number, said: Said): void {
    const message = fromSaid(said)
    if ('decided' in message) this.#begin(epoch, message.decided)
  }

  #begin(epoch: number, { ranks, sites }: RankList): void {
    this.#next = undefined
    this.#isUrgent = false
    this.#epoch = epoch
    this.#sites = sites
    this.#ranks = ranks
    const early = this.#early
    this.#early = []
    for (const each of early) this.take(each.from, each.epoch, each.said)
  }

  #open(): Agreement<string, RankList> {
    if (this.#next !== undefined) return this.#next
    const [ranks, sites, starter] = [this.#ranks, this.#sites, this.#grows ? [STARTER] : []]
    this.#next = new Agreement<string, RankList>(this.#self, [...starter, ...ranks], (reports) => ({
      ranks: ranks.filter((each) => reports.has(each)),
      sites: sites.filter((_, at) => reports.has(ranks[at] as string)),
    }))
    for (const place of this.#gone) this.#send(this.#epoch + 1, this.#next.gone(place))
    return this.#next
  }
}

/** Whether a value is a list of some of the ranks in their order, and then of newcomers. */
function isNext(value: unknown, ranks: readonly string[], grows: boolean): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false
  const old = value.findLastIndex((each: string) => ranks.includes(each)) + 1
  if (old < value.length && !grows) return false
  return value.slice(0, old).every((each: string, at) => ranks.indexOf(each) > (at === 0 ? -1 : ranks.indexOf(value[at - 1] as string)))
}
