/** Reads the number behind a flag. Throws TypeError naming the flag where it is not above 0. */
export function positive(flag: string, text: string): number {
  const number = Number(text)
  if (number > 0 && number < Infinity) return number
  throw new TypeError(`--${flag} takes a number above 0, not ${text === '' ? 'nothing' : text}`)
}
