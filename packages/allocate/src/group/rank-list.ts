import type { AgreementMessage } from './agreement.ts'
import type { Said } from './messages.ts'
import { STARTER } from './wanted.ts'

/** The ranks of an epoch, and the site of each one. */
export interface RankList {
  readonly ranks: readonly string[]
  /** Default: the sites that the ranks know. */
  readonly sites?: readonly string[] | undefined
}

/** Returns a message about the ranks of an epoch as it goes to another member. */
export function toSaid(message: AgreementMessage<unknown, RankList>): Said {
  if ('report' in message) return message as Said
  const { ranks, sites } = message.decided
  return { decided: ranks, ...(sites !== undefined && { sites }) }
}

/** Sites that don't fit the ranks are none. */
export function fromSaid<Report>(said: Said): AgreementMessage<Report, RankList> {
  if ('report' in said) return { report: said.report as Report }
  const [ranks, sites] = [said.decided as readonly string[], said.sites]
  return { decided: { ranks, ...(sites?.length === ranks.length && { sites }) } }
}

/** Whether a list names places once, and this one among them. */
export function isList(ranks: readonly string[], self: string): boolean {
  return ranks.includes(self) && !ranks.includes(STARTER) && new Set(ranks).size === ranks.length
}
