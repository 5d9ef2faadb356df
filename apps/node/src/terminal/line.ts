import stringWidth from 'string-width'

/** Puts colours around text. */
export type Paint = (text: string) => string

/** A line of a picture: texts without escapes, each with its colours. */
export type Line = readonly (readonly [text: string, paint?: Paint])[]

/** How wide text without escapes is on a terminal, in cells. */
export function cellWidth(text: string): number {
  return stringWidth(text)
}

/** Cuts text without escapes by how wide it is on a terminal. */
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

/** Cut or filled up to a width. */
export function fill(text: string, columns: number): string {
  const short = cut(text, columns)
  return short + ' '.repeat(Math.max(0, columns - cellWidth(short)))
}

/** A line in its colours, not wider than the terminal. */
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
