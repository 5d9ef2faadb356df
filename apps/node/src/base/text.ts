import { stripVTControlCharacters } from 'node:util'

/**
 * Makes text of other members (locations, addresses, errors) safe for a terminal: no escapes, one
 * line.
 */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '?')
    .trim()
}

/** Shortens an id to its end: ids of one kind all start alike. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`
}

/** Formats as `0.42 s`. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}

/** Formats as `1 member` or `7 members`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Formats a time in ms as `3:07` (minutes and seconds) or `2 h 14 min`. */
export function span(milliseconds: number): string {
  const total = Math.floor(milliseconds / 1000)
  const minutes = Math.floor(total / 60)
  return minutes < 60 ? `${minutes}:${String(total % 60).padStart(2, '0')}` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
