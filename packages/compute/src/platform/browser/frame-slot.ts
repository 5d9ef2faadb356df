/**
 * The frame in which programs run. A worker can't make a frame, so a page makes it, and hands it to
 * the member.
 */
export interface ProgramFrame {
  /** Starts a worker. It takes the other end of this port. */
  open(id: number, port: MessagePort): void
  /** Ends a worker in any state. */
  end(id: number): void
}

let frame: ProgramFrame | undefined
const lost = new Set<() => void>()

/**
 * The member runs programs in this frame from now on. Undefined: the page with the frame is gone,
 * and all its programs with it.
 */
export function useFrame(given: ProgramFrame | undefined): void {
  if (frame === given) return
  frame = given
  const handlers = [...lost]
  lost.clear()
  for (const handle of handlers) handle()
}

export function frameOfPrograms(): ProgramFrame | undefined {
  return frame
}

/** Calls `handle` when the present frame is gone. Returns a function that takes this back. */
export function onFrameLost(handle: () => void): () => void {
  lost.add(handle)
  return () => void lost.delete(handle)
}
