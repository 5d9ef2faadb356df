import stripVTControlCharacters from 'strip-ansi'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Makes text of other members (locations, addresses, errors) safe for a terminal: no escapes, one
 * line.
 */
export function oneLine(text: string): string {
  return printable(stripVTControlCharacters(text).replaceAll(/\s+/gu, ' ')).trim()
}

/** Makes a line that a program printed safe for a terminal, and keeps its spaces. */
export function printable(line: string): string {
  return stripVTControlCharacters(line)
    .replaceAll('\t', '    ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '?')
}

/**
 * Returns JSON that is safe for a terminal. JSON leaves DEL, C1 controls (U+009B begins an escape)
 * and marks of direction as they are. Here they are escaped.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(/[\u007F-\u009F\p{Cf}]/gu, escaped)
}

/** Returns the escape of a character in JSON: one or two UTF-16 units. */
function escaped(character: string): string {
  return character.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Returns bytes as text; undefined if they are not UTF-8. `textOf` of `@jel/jel` does the same, but
 * its import would put a whole host into the bundle of the page.
 */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
