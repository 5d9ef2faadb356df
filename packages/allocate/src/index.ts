/**
 * Members that suit a program, and promises of their capacity: `select` and `lease`.
 *
 * @packageDocumentation
 */
export { allocator, type Allocator, type Capacities, type LeaseOptions } from './allocator.ts'
export type { Lease } from './lease.ts'
export type { Amounts, Milliseconds } from './core/calendar.ts'
export { Fence, type Token } from './core/fence.ts'
export type { ListedLease } from './core/messages.ts'
export type { AllowLease } from './shell/granter.ts'
export { checkEnough } from './select.ts'
export type { ConditionCount, Selected, Selection, SelectOptions } from './select.ts'
export { InvalidRequestError, LeaseEndedError, LeaseError, TooFewMatchError } from './errors.ts'
