/** A group with one order of events and uniform elections: jel's ledger, or servers of etcd. */

/** Where a group keeps what it has promised. */
export const STORES = ['memory', 'synced'] as const
export type Store = (typeof STORES)[number]

export interface Reign {
  /** Rises with each reign of an election. */
  readonly epoch: number
  /** The seat of the winner. */
  readonly winner: number
  /** Time at which the last member came to know the reign, by `performance.now()`. */
  readonly time: number
}

/** A group of seats. A seat is a member that votes, with its client. */
export interface Group {
  readonly seats: number
  /** Waits until all seats are taken and a leader is there. Returns its seat. */
  whole(): Promise<number>
  /** Makes the client of a seat a candidate. Resolves when it has an answer. */
  elect(seat: number, election: string): Promise<void>
  /** Gives the client of a seat an event to put in the order. Resolves when it has its place. */
  order(seat: number, text: string, signal?: AbortSignal): Promise<number>
  /** From now on {@link reign} answers for this election. */
  watch(election: string): Promise<void>
  /** The newest reign, if all running members know it. */
  reign(election: string): Reign | undefined
  /** Sends a signal to what runs in a seat. */
  send(seat: number, signal: 'SIGKILL' | 'SIGSTOP', what: Victim): void
  /** Fills each seat in which something has ended or stands still. */
  mend(): Promise<void>
  /** The seats to which no signal was sent. */
  running(): readonly number[]
  close(): Promise<void>
}

/**
 * The purpose of a signal. In jel a member stands for election and votes, so it is one process. A
 * client of etcd is another process than the server.
 */
export type Victim = 'winner' | 'leader' | 'both'
