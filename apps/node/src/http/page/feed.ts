import type { Told } from './model.ts'
import { plainText } from './text.ts'

/** The wait before the next try if the node does not answer, ms. Guess. */
const RETRY = 2_000

/**
 * Calls `take` with each event, and `isLive` whenever the connection comes up or breaks. Retries
 * without end.
 */
export function follow(take: (event: Told) => void, isLive: (live: boolean) => void): void {
  const source = new EventSource('events')
  source.onopen = () => isLive(true)
  source.onmessage = ({ data }) => take(JSON.parse(data as string, plain) as Told)
  source.onerror = () => {
    isLive(false)
    // The browser does not retry a refused stream. A node refuses streams until it has entered.
    source.close()
    setTimeout(() => follow(take, isLive), RETRY)
  }
}

/** Makes each text safe for the page, since most texts come from other members. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? plainText(value) : value
}
