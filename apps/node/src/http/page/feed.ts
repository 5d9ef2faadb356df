import type { Told } from './model.ts'
import { plainText } from './text.ts'

/** The wait before the next try if the node does not answer, ms. Guess. */
const RETRY = 2_000

/** Takes an event. */
export type Take = (event: Told) => void
/**
 * Calls `take` with each event, and `isLive` whenever the connection comes up or breaks. `text`: a
 * state that is shown in place of a broken connection.
 */
export type Follow = (take: Take, isLive: (live: boolean, text?: string) => void) => void

/** Follows the events of the node that serves the page. Retries without end. */
export const follow: Follow = (take, isLive) => {
  const source = new EventSource('events')
  source.onopen = () => isLive(true)
  source.onmessage = ({ data }) => take(plainEvent(data as string))
  source.onerror = () => {
    isLive(false)
    // The browser does not retry a refused stream. A node refuses streams until it has entered.
    source.close()
    setTimeout(() => follow(take, isLive), RETRY)
  }
}

/** Returns an event of the feed, with texts that are safe for the page. */
export function plainEvent(line: string): Told {
  return JSON.parse(line, plain) as Told
}

/** Makes each text safe for the page, since most texts come from other members. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? plainText(value) : value
}
