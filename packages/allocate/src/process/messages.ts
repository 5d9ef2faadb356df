/** A message of a program's process to its member. */
export type FromRank =
  | { readonly type: 'ready' }
  | { readonly type: 'call'; readonly id: number; readonly epoch: number; readonly call: Call }
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'failed'; readonly message: string }

/** A call of the group. */
export type Call =
  | { readonly name: 'send'; readonly to: number; readonly tag: number; readonly bytes: Uint8Array }
  | { readonly name: 'receive'; readonly from: number | undefined; readonly tag: number | undefined }
  | { readonly name: 'check' }
  | { readonly name: 'revoke' }
  | { readonly name: 'shrink' | 'regroup' }

/** A group in one epoch. */
export interface GroupState {
  readonly id: string
  readonly epoch: number
  readonly rank: number
  readonly members: readonly string[]
  readonly sites: readonly string[]
}

/** A message of a member to the process of its rank. */
export type ToRank =
  | { readonly type: 'start'; readonly file: string; readonly input: unknown; readonly group: GroupState }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly message: string }

/** A program for a group of processes, as the starter sends it. */
export interface ProcessInput {
  /** The name of its file. */
  readonly name: string
  /** An ES module. Its default export, if it has one, is the program. */
  readonly source: string
  readonly input?: unknown
}

/** How the process of a rank ended. */
export interface ProcessEnd {
  /** 0: the program has ended well. */
  readonly status: number
  /** The result of the default export. */
  readonly value?: unknown
  readonly message?: string
}
