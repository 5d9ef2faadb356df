/**
 * Matches strings, and the words of Python and others for the numbers that JSON lacks. A string
 * without a closing quote extends to the end of the text. So the expression reads a long text only
 * once.
 */
const TOKENS = /"(?:[^"\\]|\\[^])*"?|-?Infinity|NaN/gu
/** The field of an object that stands for such a number. No other text has this character. */
const NUMBER = '\0number'

/**
 * Parses JSON, and also NaN, Infinity and -Infinity as numbers.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const marked = text.replace(TOKENS, (token) => (token.startsWith('"') ? token : JSON.stringify({ [NUMBER]: token })))
    if (marked === text) throw error
    return JSON.parse(marked, (_, value: unknown) => numberOf(value) ?? value)
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null && NUMBER in value ? Number(value[NUMBER]) : undefined
}
