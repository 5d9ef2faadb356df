import type { LedgerEvent, LedgerMember, LedgerNews, LedgerNode, Life } from '@jel/ledger'
import type { Member, Reign } from './member.ts'
import type { PoolHost, PoolNews } from './host.ts'
import type { PoolParts } from './parts.ts'

/** News of a pool. The news of its ledger replaces some news of the overlay. */
export type AgreedNews =
  | Exclude<PoolNews, { readonly type: 'joined' | 'left' | 'died' | 'updated' | 'warning' | 'gap' }>
  /** News was lost. Without `lost` and `limit`: this member fell behind the ledger. */
  | { readonly type: 'gap'; readonly lost?: number; readonly limit?: number }
  | { readonly type: 'joined'; readonly member: Member }
  | { readonly type: 'left'; readonly member: Member }
  | { readonly type: 'died'; readonly member: Member }
  | { readonly type: 'updated'; readonly member: Member }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  | { readonly type: 'ordered'; readonly index: number; readonly name: string; readonly payload: Uint8Array; readonly from: Member }
  | { readonly type: 'ledger' }
  | { readonly type: 'refused' }
  | { readonly type: 'poolClosed' }

/**
 * The members and reigns of a pool as its ledger has them. The overlay adds each member's own data:
 * its addresses, tag and constants.
 */
export class AgreedView {
  readonly #ledger: LedgerNode
  readonly #host: PoolHost
  readonly #parts: PoolParts
  /** Each member as this node saw it last, by id. The report of its end still has this data. */
  readonly #seen = new Map<string, Member>()
  /** The elections about which this member has warned, see `#mixture`. */
  readonly #mixed = new Set<string>()

  constructor(ledger: LedgerNode, host: PoolHost, parts: PoolParts) {
    this.#ledger = ledger
    this.#host = host
    this.#parts = parts
  }

  get self(): Member {
    const { self } = this.#host
    const agreed = this.#ledger.member(self)
    return agreed === undefined ? self : { ...self, rank: agreed.rank, index: agreed.index }
  }

  /** The members in the order of joining. */
  members(): readonly Member[] {
    const present = new Map(this.#host.members().map((member) => [member.id, member]))
    return this.#ledger.members.map((member) => this.#shown(member, present.get(member.id)))
  }

  reign(election: string): Reign | undefined {
    const reign = this.#ledger.reignOf(election)
    return reign === undefined ? undefined : this.#reign(election, reign)
  }

  reigns(): readonly Reign[] {
    return this.#ledger.reigns().map((reign) => this.#reign(reign.election, reign))
  }

  async elect(election: string): Promise<void> {
    await this.#ledger.candidacies.stand(election)
  }

  /**
   * Does not wait until the ledger has the withdrawal. If the ledger never takes it, the candidacy
   * ends with this member's life.
   */
  withdraw(election: string): void {
    void this.#ledger.candidacies.withdraw(election).catch(() => {})
  }

  /** Returns the news of the overlay that still counts: the ledger gives the other news. */
  ofHost(news: PoolNews): AgreedNews | undefined {
    const { joins, elections } = this.#parts
    if (news.type === 'elected') return elections === 'uniform' ? this.#mixture(news.reign.election) : news
    if (joins !== 'reliable') return news
    if (news.type === 'joined' || news.type === 'left' || news.type === 'died') return undefined
    if (news.type !== 'updated') return news
    const agreed = this.#ledger.member(news.member)
    return agreed === undefined ? undefined : { type: 'updated', member: this.#shown(agreed, news.member) }
  }

  /** Calls the listener with the news of the ledger. Returns a function that unsubscribes it. */
  subscribe(listener: (news: AgreedNews) => void): () => void {
    return this.#ledger.subscribe((news) => {
      for (const each of this.#newsOf(news)) listener(each)
    })
  }

  #newsOf(news: LedgerNews): readonly AgreedNews[] {
    switch (news.type) {
      case 'event':
        return this.#newsOfEvent(news.event)
      case 'gap':
        return [news]
      case 'status':
        return [{ type: 'ledger' }]
      case 'warning':
        return [news]
      case 'refused':
        return [{ type: 'refused' }]
    }
  }

  #newsOfEvent(event: LedgerEvent): readonly AgreedNews[] {
    const { joins, elections } = this.#parts
    switch (event.type) {
      case 'joined':
        return joins === 'reliable' ? [{ type: 'joined', member: this.#shown(event.member, this.#present(event.member)) }] : []
      case 'ended': {
        const member = this.#ended(event.life)
        return joins === 'reliable' ? [{ type: event.how, member: { ...member, index: event.index } }] : []
      }
      case 'elected': {
        if (elections !== 'uniform') return []
        const elected = { type: 'elected', reign: this.#reign(event.election, event) } as const
        const mixture = this.#mixture(event.election)
        return mixture === undefined ? [elected] : [elected, mixture]
      }
      case 'ordered': {
        const { index, name, payload, from } = event
        return [{ type: 'ordered', index, name, payload, from: this.#lifeShown(from) }]
      }
      case 'poolClosed':
        return [{ type: 'poolClosed' }]
      case 'refused':
      case 'vacant':
        return []
    }
  }

  /**
   * Returns a warning, once for each election, if the ledger has a winner and the members without
   * the ledger have one, too.
   */
  #mixture(election: string): Extract<AgreedNews, { type: 'warning' }> | undefined {
    const isMixed = this.#host.reign(election) !== undefined && this.#ledger.reignOf(election) !== undefined
    if (!isMixed || this.#mixed.has(election)) return undefined
    this.#mixed.add(election)
    const message = `members with elections: 'uniform' and others stand in the election ${JSON.stringify(election)}: it has two winners`
    return { type: 'warning', code: 'MIXED_CONSISTENCY', message }
  }

  #reign(election: string, { winner, epoch }: { readonly winner: Life; readonly epoch: number }): Reign {
    return { election, epoch, winner: this.#lifeShown(winner) }
  }

  #lifeShown(life: Life): Member {
    const agreed = this.#ledger.member(life)
    return agreed === undefined ? (this.#seen.get(life.id) ?? unknown(life)) : this.#shown(agreed, this.#present(agreed))
  }

  #present({ id }: Life): Member | undefined {
    return this.#host.members().find((member) => member.id === id)
  }

  /** A member that the overlay does not know yet has no addresses. */
  #shown({ id, incarnation, rank, index }: LedgerMember, present: Member | undefined): Member {
    const seen = this.#seen.get(id)
    const known = [present, seen].find((each) => each?.incarnation === incarnation) ?? unknown({ id, incarnation })
    const member = { ...known, rank, index }
    this.#seen.set(id, member)
    return member
  }

  #ended(life: Life): Member {
    const seen = this.#seen.get(life.id)
    this.#seen.delete(life.id)
    return seen?.incarnation === life.incarnation ? seen : unknown(life)
  }
}

function unknown({ id, incarnation }: Life): Member {
  return { id, incarnation, addresses: [], location: '', tag: new Uint8Array(), constants: new Map(), reach: 'hidden', joinedAt: 0 }
}
