import type { Health, Member, Reign } from './base/member.ts'
import type { PoolEvents } from './base/events.ts'
import type { Pool } from './pool/pool.ts'

/** The state of a pool at one time. Nothing in it changes. */
export interface PoolSnapshot {
  /** The members in the order of joining, this node included. */
  readonly members: readonly Member[]
  /** The reigns, sorted by the names of their elections. */
  readonly reigns: readonly Reign[]
  readonly health: Health
}

/** A store in the form of React's `useSyncExternalStore`. */
export interface PoolStore {
  /**
   * Calls the listener once per turn in which something changed. Returns a function that removes
   * it.
   */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the same object until something changes. */
  readonly getSnapshot: () => PoolSnapshot
}

const CHANGES = ['joined', 'left', 'died', 'updated', 'elected', 'health'] as const satisfies readonly (keyof PoolEvents)[]

/**
 * Returns a store of a pool's state for user interfaces. It follows the pool as long as the pool
 * lives, so create one store for each pool.
 */
export function poolStore(pool: Pick<Pool, 'addEventListener' | 'members' | 'reigns' | 'health'>): PoolStore {
  const listeners = new Set<{ readonly call: () => void }>()
  let snapshot: PoolSnapshot | undefined
  let isPlanned = false
  const onChange = (): void => {
    snapshot = undefined
    if (isPlanned) return
    isPlanned = true
    queueMicrotask(() => {
      isPlanned = false
      for (const { call } of listeners) call()
    })
  }
  for (const type of CHANGES) pool.addEventListener(type, onChange)
  return {
    subscribe(call) {
      // One function may subscribe twice. The wrapper keeps the two subscriptions apart.
      const listener = { call }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    getSnapshot: () => (snapshot ??= { members: pool.members(), reigns: pool.reigns(), health: pool.health() }),
  }
}
