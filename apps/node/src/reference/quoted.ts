/** One word, as all shells of the Bourne kind and fish take it. A quote in it is replaced by its typographic like, which needs no escape in any of them. */
export function quoted(text: string): string {
  return `'${plain(text)}'`
}

/** Text without quotes and backslashes. */
export function plain(text: string): string {
  return text.replaceAll("'", '’').replaceAll('\\', '/')
}
