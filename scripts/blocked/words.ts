/** What the processes of this trial say to each other, over the IPC channel. */

/** From the trial to a process. */
export type Order =
  | { readonly do: 'block'; readonly ms: number }
  | { readonly do: 'leave' }
  | { readonly do: 'signal'; readonly to: readonly string[]; readonly count: number }

/** One event as an application saw it. */
export interface Seen {
  readonly type: string
  /** `id/incarnation` of a member; the name of a signal. */
  readonly subject: string
  /** Unix milliseconds. */
  readonly time: number
}

/** From a process to the trial. */
export type Word =
  | { readonly word: 'joined'; readonly ids: readonly string[]; readonly addresses: readonly string[] }
  | { readonly word: 'seen'; readonly id: string; readonly seen: Seen }
  | { readonly word: 'blocking' | 'back' | 'signalled' | 'left' }
  | { readonly word: 'failed'; readonly message: string }

/** What a process is given. */
export interface Part {
  readonly pool: string
  readonly nodes: number
  readonly thread: 'main' | 'worker'
  readonly bootstrap: readonly string[]
}
