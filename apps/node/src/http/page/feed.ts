import type { Told } from './model.ts'

/** How long until the next try where the node does not answer, ms. Guess. */
const RETRY = 2_000

/** Calls `take` with each event, and `isLive` whenever the node answers, or does so no more. It goes on trying. */
export function follow(take: (event: Told) => void, isLive: (live: boolean) => void): void {
  const source = new EventSource('events')
  source.onopen = () => isLive(true)
  source.onmessage = ({ data }) => take(JSON.parse(data as string) as Told)
  source.onerror = () => {
    isLive(false)
    // What was refused, as by a node that has not entered yet, is not tried again by itself.
    source.close()
    setTimeout(() => follow(take, isLive), RETRY)
  }
}
