/**
 * Copies and keys of the state of a seat. Both visit all own fields of its objects, so nobody has
 * to list a new field here.
 */
import { Timers } from '@jel/machine'
import { Leading, Progress } from '../src/core/leading.ts'
import { Log } from '../src/core/log.ts'
import { LedgerState } from '../src/core/state.ts'

/** The classes whose objects change. All plain objects of a state are readonly. */
const classes = [LedgerState, Leading, Progress, Log]

/**
 * The fields that the key leaves out. Options, names and seen seats are the same in all states of a
 * seat. The exploration chooses when something happens, so times and timers are left out, too.
 * `synced` is the write from which the key counts the others. `effects` are those of the last step.
 * The hash of a snapshot and the number of received bytes name its `parts`.
 */
export const leftOut: ReadonlySet<string> = new Set(['options', 'ledger', 'timers', 'now', 'seen', 'synced', 'effects', 'parts'])

/** The fields that have the number of a write. */
const writes: ReadonlySet<string> = new Set(['written', 'ownVote'])

/** Copies all that a step may change. */
export function cloneState(state: LedgerState): LedgerState {
  return clone(state)
}

function clone<Value>(value: Value): Value {
  if (Array.isArray(value)) return [...(value as unknown[])] as Value
  if (value instanceof Set) return new Set(value) as Value
  if (value instanceof Map) return new Map([...value].map(([key, each]: [unknown, unknown]) => [key, clone(each)])) as Value
  if (value instanceof Timers) return cloneTimers(value as LedgerState['timers']) as Value
  if (!classes.some((each) => value instanceof each)) return value
  const copy = Object.create(Object.getPrototypeOf(value) as object) as Value
  for (const [field, each] of fieldsOf(value as object)) copy[field as keyof Value] = clone(each) as Value[keyof Value]
  return copy
}

function cloneTimers(timers: LedgerState['timers']): LedgerState['timers'] {
  const names = ['heartbeat', 'stand'] as const
  const copy = new Timers(names)
  for (const name of names) copy.set(name, timers.at(name))
  return copy
}

function fieldsOf(value: object): [string, unknown][] {
  return Object.entries(value)
}

/** @param relative counts the number of a write from the last synced one */
export function stateKey(state: LedgerState, relative: (number: number) => number): string {
  return keyOf(state, relative)
}

function keyOf(value: unknown, relative: (number: number) => number): string {
  if (value instanceof Log) return logKey(value)
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Set) return [...(value as ReadonlySet<string>)].toSorted().join('+')
  if (value instanceof Map)
    return [...value]
      .map(([key, each]: [unknown, unknown]) => `${String(key)}:${keyOf(each, relative)}`)
      .toSorted()
      .join(';')
  if (Array.isArray(value)) return `[${value.map((each) => keyOf(each, relative)).join()}]`
  const parts: string[] = []
  for (const [field, each] of fieldsOf(value)) {
    if (leftOut.has(field)) continue
    if (field === 'heardAt') parts.push(each === -Infinity ? '' : 'heard')
    else if (field === 'snapshot') parts.push((each as Log['snapshot']).hash)
    // A request has the number that its member gave it. Any other `number` is that of a write.
    else if (writes.has(field) || (field === 'number' && !('from' in value))) parts.push(String(relative(each as number)))
    else parts.push(keyOf(each, relative))
  }
  return parts.join()
}

/** The hash of the last entry names all entries before it. */
export function logKey(log: Log): string {
  return `${log.snapshot.index}/${log.lastIndex}/${log.lastHash}/${log.snapshot.configuration.groups.length}`
}
