export type MemberId = string
export type JobId = string
export type { Milliseconds } from '@jel/machine'
