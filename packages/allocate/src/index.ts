/**
 * Members that suit a program (`select`), leases of their capacity (`lease`), and groups of
 * processes on several members (`group`).
 *
 * @packageDocumentation
 */
export { allocator, type Allocator } from './allocator.ts'
export type { GroupOptions } from './group/group-options.ts'
export type { LeaseOptions } from './holder.ts'
export type { Group } from './group/group.ts'
export type { AllowStarter } from './group/group-host.ts'
export type { GroupRun, RankOutput } from './group/group-run.ts'
export type { Received } from './group/mailbox.ts'
export type { Outcome } from './group/messages.ts'
export type { GroupProgram, RankContext, WriteOutput } from './group/running-rank.ts'
export type { Lease } from './lease.ts'
export type { Amounts, Milliseconds } from './core/calendar.ts'
export { divide, type Division, type Worker } from './divide.ts'
export { Fence, type Token } from './core/fence.ts'
export { corrected, leastEnough, type Counts } from './limit/adapt.ts'
export type { Limit } from './limit/limit.ts'
export type { Capacities, ListedLease } from './core/messages.ts'
export type { ListedRank, ListedStart } from './core/listed-groups.ts'
export type { AllowLease } from './shell/granter.ts'
export type { Pair, Placed, UnknownPair } from './pairs/pairs.ts'
export { place, type Edge, type Pattern, type Placement } from './pairs/placement.ts'
export { checkEnough } from './select.ts'
export type { ConditionCount, Selected, PatternOptions, Selection, SelectOptions } from './select.ts'
export { GroupError, InvalidRequestError, LeaseEndedError, LeaseError, ProbeError, TooFewMatchError, UnknownPairError } from './errors.ts'
