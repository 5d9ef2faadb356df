const [start, end] = ['<!-- fidelity -->', '<!-- /fidelity -->']

/** The document with what stands between its marks replaced. */
export function withFigures(document: string, sections: readonly string[]): string {
  const [before, rest] = document.split(start)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new TypeError(`the document has no ${start} … ${end}`)
  return `${before}${start}\n${sections.map((section) => `#### ${section}`).join('\n\n')}\n${end}${after}`
}
