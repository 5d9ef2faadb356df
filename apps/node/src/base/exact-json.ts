/**
 * Parses JSON.
 *
 * @throws SyntaxError; RangeError for an integer, or a size, that no number of JavaScript holds
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keep)
}

/** Whether a number holds this integer. Other texts are no integers. */
export function isExact(text: string): boolean {
  if (!/^-?\d+$/u.test(text)) return true
  return Number.isFinite(Number(text)) && BigInt(text) === BigInt(Number(text))
}

/** @param source the text of the value */
function keep(_: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  if (typeof value === 'number' && (!isExact(source) || !Number.isFinite(value)))
    throw new RangeError(`no number of JavaScript is exactly ${source.slice(0, 60)}: write it as a text, in quotes`)
  return value
}
