/** By how much the clock of the node is ahead of the browser's, ms. */
let ahead = 0

export function setNodeTime(time: number): void {
  ahead = time - Date.now()
}

/** What the clock of the node says, Unix ms. */
export function nodeTime(): number {
  return Date.now() + ahead
}
