/**
 * A program may take this long to load, ms, or as long as a task if the limit of a task is longer.
 * The time of a task counts from the end of the load. A guess: with a system load of eleven on two
 * processors a first start took 3 to 5 s (measured).
 */
export const LOAD_TIME = 60_000

/** Limits of a task, and of the disk. */
export interface TaskLimits {
  /** Running time of one task, ms, without the wait for children. Default: 600,000 (10 minutes). */
  readonly time: number
  /**
   * Memory, MiB. In a sandbox the limit bounds all memory of the process. Elsewhere it bounds the
   * heap: buffers and WASM memory can exceed it (measured). On Linux, each process of a command can
   * have 640 MiB of data more than this. Default: 512.
   */
  readonly memory: number
  /**
   * Disk space for the programs, large inputs and blobs of all jobs together, MiB. The least
   * recently used files go first. A task in a sandbox can't write to the disk. The folder of a
   * command may have the same size in addition. Default: 256.
   */
  readonly disk: number
}

export const defaultTaskLimits: TaskLimits = { time: 600_000, memory: 512, disk: 256 }
