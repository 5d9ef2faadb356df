/**
 * Pads each column to its widest cell. The cells are text without escapes. The first row has as
 * many cells as any other.
 */
export async function tableOf(rows: readonly (readonly string[])[]): Promise<string[]> {
  // The module makes an `Intl.Segmenter`, which takes 22 ms (measured). Few commands show a table.
  const { default: stringWidth } = await import('string-width')
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))))
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  )
}
