/**
 * Quotes one word for all shells of the Bourne kind and fish. A typographic quote replaces each
 * quote in it, as it needs no escape in any of them.
 */
export function quoted(text: string): string {
  return `'${plain(text)}'`
}

/** Returns text without quotes and backslashes. */
export function plain(text: string): string {
  return text.replaceAll("'", '’').replaceAll('\\', '/')
}
