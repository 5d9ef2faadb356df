import stringWidth from 'string-width'

/** Adds colours to text. */
export type Paint = (text: string) => string

/** A line of a picture: texts without escapes, each with its colours. */
export type Line = readonly (readonly [text: string, paint?: Paint])[]

/** Returns the width on a terminal of text without escapes, in cells. */
export function cellWidth(text: string): number {
  return stringWidth(text)
}

/** Cuts text without escapes to a width on a terminal. */
function cut(text: string, columns: number): string {
  if (cellWidth(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const character of text) {
    width += cellWidth(character)
    if (width > columns - 1) break
    kept += character
  }
  return columns > 0 ? `${kept}…` : ''
}

/** Cuts or pads text to a width. */
export function fill(text: string, columns: number): string {
  const short = cut(text, columns)
  return short + ' '.repeat(Math.max(0, columns - cellWidth(short)))
}

/** Breaks text into lines of at most this width, if no word is wider. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length === 0 || cellWidth(longer) > width) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}

/** Returns a line in its colours, cut to the width of the terminal. */
export function paintLine(line: Line, columns: number): string {
  let room = columns
  let painted = ''
  for (const [text, paint = String] of line) {
    const short = cut(text, room)
    if (short !== '') painted += paint(short)
    room -= cellWidth(short)
    if (short !== text) break
  }
  return painted
}
