export { Driver, type EffectHandlers, type Clock } from './driver.ts'
export type { Machine, Milliseconds, Tagged, TimerEffect, TimerInput } from './machine.ts'
export { Timers } from './timers.ts'
