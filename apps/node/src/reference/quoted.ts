/**
 * Quotes one word for fish and all shells of the Bourne kind. A typographic quote replaces each
 * quote in the word: it needs no escape in any shell.
 */
export function quoted(text: string): string {
  return `'${plain(text)}'`
}

/** Returns text without quotes and backslashes. */
export function plain(text: string): string {
  return text.replaceAll("'", '’').replaceAll('\\', '/')
}
