/** Names of pools, elections, signals and so on. They must fit the wire, a topic and a terminal. */
/**
 * Maximum number of bytes of a name in UTF-8. Guess: long enough for a URL path, short enough to
 * repeat in statements.
 */
export const maxNameBytes = 128
const encoder = new TextEncoder()

/**
 * Returns the reason to refuse this name, or undefined if it is valid: 1 to 128 bytes of UTF-8
 * without control characters.
 */
export function nameProblem(name: string): string | undefined {
  if (name.length === 0) return 'is empty'
  if (!name.isWellFormed()) return 'is not well-formed Unicode'
  if (/\p{Cc}/u.test(name)) return 'contains a control character'
  const bytes = encoder.encode(name).length
  if (bytes > maxNameBytes) return `is ${bytes} bytes long, more than the ${maxNameBytes} that are allowed`
  return undefined
}
