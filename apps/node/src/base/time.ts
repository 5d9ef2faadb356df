/** Formats a time in ms as `3:07` (minutes and seconds) or `2 h 14 min`. */
export function span(milliseconds: number): string {
  const total = Math.floor(milliseconds / 1000)
  const minutes = Math.floor(total / 60)
  return minutes < 60 ? `${minutes}:${String(total % 60).padStart(2, '0')}` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
