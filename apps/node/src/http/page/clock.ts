/** The lead of the node's clock over the browser's, ms. */
let ahead = 0

export function setNodeTime(time: number): void {
  ahead = time - Date.now()
}

/** Returns the time on the node's clock, Unix ms. */
export function nodeTime(): number {
  return Date.now() + ahead
}
