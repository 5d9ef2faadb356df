/** The common part of the commands for all members: about keys and about allow lists. */
import type { Pool, PoolKeyInfo, RecordOwner } from '@jel/jel'
import type { Agent } from '../agent/agent.ts'
import type { MemberResultJson } from '../events/events.ts'
import { listMembers } from '../agent/member-list.ts'
import { oneLine } from '../base/text.ts'
import { UsageError } from '../base/usage-error.ts'
import type { OrderResult } from '../orders/order-giver.ts'
import { flag } from './flags.ts'
import { counted, durationText } from '../events/quantity.ts'

/** A command for all members also lists members that died or left within this time, ms. Guess. */
const RECENT = 3_600_000
/** The longest stay of a member that came for one command only, ms. A guess. */
const BRIEF = 60_000

export const ALL_FLAGS = [
  flag('--all', 'at all members: those that were started with --admin and the id of the administrator’s key; status 1 if one is missing'),
  flag('--admin-key <file>', 'with --all: the administrator’s key, as jel keygen --identity makes it'),
]

export interface AllGiven {
  readonly all?: boolean | undefined
  readonly adminKey?: string | undefined
}

/** Throws UsageError unless both flags are given, or none. */
export function checkAll(command: string, { all = false, adminKey }: AllGiven): void {
  if (all !== (adminKey !== undefined))
    throw new UsageError(`${command}: --all is done in the name of an administrator: give both --all and --admin-key`)
}

/**
 * Gives an order to all members in the name of an administrator. `what` is the text that names the
 * order in the log.
 */
export async function orderAll(
  { pool, log, model }: Agent,
  what: string,
  adminFile: string,
  order: (admin: RecordOwner) => Promise<readonly OrderResult[]>,
): Promise<MemberResultJson[]> {
  const { readOwner } = await import('@jel/jel')
  const admin = readOwner(adminFile)
  const results = await order(admin)
  const missing = results.filter(({ result }) => result !== 'done').length
  log.info('ORDERED', `${what} at ${counted(results.length, 'member')}, of which ${missing} are missing`, { by: admin.id })
  return [...results.map(({ member, ...rest }) => ({ node: member.id, location: member.location, ...rest })), ...recentlyGone(pool, model)]
}

/** Lists gone members that may come back with their old state. They do not count as missing. */
function recentlyGone(pool: Pool, model: Agent['model']): MemberResultJson[] {
  const gone = (['died', 'left'] as const).flatMap((result) =>
    listMembers(pool.members(), model, { state: result }).map((member) => ({ ...member, result })),
  )
  const recent = gone.filter(
    ({ since, joinedAt, result }) => Date.now() - since < RECENT && (result === 'died' || since - joinedAt > BRIEF),
  )
  return recent.map(({ id, location, since, result }) => ({
    node: id,
    location,
    result,
    reason: `${durationText(Date.now() - since)} ago: it may come back with its old state, so repeat the command then`,
  }))
}

/** A line for each member, and how many are done. */
export function allText(members: readonly MemberResultJson[]): string[] {
  const present = members.filter(({ result }) => !isGone(result))
  const done = present.filter(({ result }) => result === 'done').length
  return [...members.map(memberLine), `${done} of ${counted(present.length, 'member')}`]
}

function memberLine({ node, location, result, keys = [], allowed, reason }: MemberResultJson): string {
  const state =
    allowed === undefined ? keys.map(keyText).join(', ') : `${counted(allowed.count, 'node')} allowed, list ${allowed.fingerprint}`
  return `${result.padEnd(9)} ${node} (${oneLine(location)}): ${reason === undefined ? state : oneLine(reason)}`
}

export function keyText({ id, primary }: PoolKeyInfo): string {
  return primary ? `${id} (primary)` : id
}

export function allStatus({ members = [] }: { readonly members?: readonly MemberResultJson[] }): 0 | 1 {
  return members.every(({ result }) => result === 'done' || isGone(result)) ? 0 : 1
}

function isGone(result: MemberResultJson['result']): boolean {
  return result === 'died' || result === 'left'
}
