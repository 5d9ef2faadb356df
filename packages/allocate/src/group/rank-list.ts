import type { AgreementMessage } from './agreement.ts'
import type { Said } from './messages.ts'
import { STARTER } from './wanted.ts'

/** The ranks of an epoch, and the site of each one. */
export interface RankList {
  readonly ranks: readonly string[]
  readonly sites: readonly string[]
}

/** Returns a message about the ranks of an epoch as it goes to another member. */
export function toSaid(message: AgreementMessage<unknown, RankList>): Said {
  if ('report' in message) return message as Said
  const { ranks, sites } = message.decided
  return { decided: ranks, sites }
}

/** The contrary of `toSaid`. */
export function fromSaid<Report>(said: Said): AgreementMessage<Report, RankList> {
  if ('report' in said) return { report: said.report as Report }
  const { decided: ranks, sites } = said as { readonly decided: readonly string[]; readonly sites: readonly string[] }
  return { decided: { ranks, sites } }
}

/** Whether a list names each place once, and this place among them. */
export function isList(ranks: readonly string[], self: string): boolean {
  return ranks.includes(self) && !ranks.includes(STARTER) && new Set(ranks).size === ranks.length
}
