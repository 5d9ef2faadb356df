/**
 * The messages between the two sides of a pool with `thread: 'worker'`: plain data, in order, over
 * one MessagePort.
 */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import type {
  EarlyWarning,
  Overlay,
  OverlayHealth,
  OverlayKeys,
  OverlayNotification,
  OverlayOptions,
  PoolMember,
  PoolRecord,
  PoolReign,
} from '@jel/overlay'
import type { Fault } from './faults.ts'

/** The whole state that this node knows. */
export interface Snapshot {
  readonly self: PoolMember
  readonly members: readonly PoolMember[]
  readonly reigns: readonly PoolReign[]
  readonly records: readonly PoolRecord[]
  readonly health: OverlayHealth
}

/** The data that the worker gets at its start. */
export interface WorkerData {
  readonly port: MessagePort
  readonly options: Omit<OverlayOptions, 'signal' | 'onWarning'>
}

/** The methods of an overlay, and of its keys, that the other thread calls. */
export type Method = Exclude<KeysOf<Overlay>, 'members' | 'reign' | 'reigns' | 'records' | 'health' | 'subscribe'> | keyof OverlayKeys

type KeysOf<Type> = { [Key in keyof Type]: Type[Key] extends (...args: never) => unknown ? Key : never }[keyof Type]

/** From the application's thread to the overlay's. */
export type Request =
  /** With `abortable`, the method takes a signal in its last argument. */
  | {
      readonly type: 'call'
      readonly id: number
      readonly method: Method
      readonly args: readonly unknown[]
      readonly abortable: boolean
    }
  /** The caller gave up. Id 0 aborts the start. */
  | { readonly type: 'abort'; readonly id: number }
  /** The application's thread has taken this many news items. */
  | { readonly type: 'taken'; readonly count: number }
  /** The application's thread has taken one incoming stream. */
  | { readonly type: 'accepted'; readonly from: string }

/** From the overlay's thread to the application's. */
export type Report =
  /** A problem before the node has entered. */
  | { readonly type: 'warning'; readonly warning: EarlyWarning }
  | { readonly type: 'entered'; readonly pool: string; readonly snapshot: Snapshot }
  | { readonly type: 'news'; readonly news: readonly OverlayNotification[]; readonly self?: PoolMember }
  | { readonly type: 'health'; readonly health: OverlayHealth }
  /** All reigns that the overlay still knows. It has forgotten many of the announced elections. */
  | { readonly type: 'reigns'; readonly reigns: readonly PoolReign[] }
  /**
   * The queue dropped `lost` news items because too many waited. The snapshot includes their
   * effects.
   */
  | { readonly type: 'gap'; readonly lost: number; readonly snapshot: Snapshot }
  | { readonly type: 'returned'; readonly id: number; readonly value: unknown }
  | { readonly type: 'threw'; readonly id: number; readonly fault: Fault }
  /** A member opened a stream. */
  | { readonly type: 'incoming'; readonly protocol: string; readonly from: string; readonly port: MessagePort }
  | { readonly type: 'closed'; readonly fault?: Fault }

/**
 * How many news items may wait for an application that blocks its thread: as many as a reader of
 * `changes()` may leave unread. At half a kilobyte each they take 32 MB. Guess.
 */
export const NEWS_LIMIT = 65_536

/**
 * After this many election results the application's thread gets the list of all reigns that the
 * overlay still knows. Guess: twice as many as a node remembers.
 */
export const REIGNS_LIMIT = 512

/**
 * How many incoming streams may wait for an application that blocks its thread: of all members
 * together, and of one member. Each may take two windows, so all take 64 MiB at most. Guesses.
 */
export const [STREAMS_LIMIT, STREAMS_OF_MEMBER] = [128, 8]

/**
 * How many bytes of a stream may be under way to the other thread. yamux lets a peer send the same
 * number of bytes ahead.
 */
export const STREAM_WINDOW = 262_144

/** One direction of a stream across the threads. Both sides use the same messages. */
export type Piece =
  | { readonly type: 'data'; readonly data: Uint8Array }
  /** The receiver has taken this many bytes. */
  | { readonly type: 'taken'; readonly bytes: number }
  /** No more data follows. The other side answers `finished` once it has passed on all data. */
  | { readonly type: 'end' }
  | { readonly type: 'finished' }
  /** The sender of this message reads no more. */
  | { readonly type: 'closedRead' }
  | { readonly type: 'aborted'; readonly fault: Fault }
  | { readonly type: 'closed' }

/**
 * Returns the reports of an ended thread that this thread has not received. Reports and the end of
 * a thread arrive on different channels, so the end may come first.
 */
export function lastReports(port: MessagePort): Report[] {
  const reports: Report[] = []
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) reports.push(next.message as Report)
  return reports
}
