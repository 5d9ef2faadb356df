const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns the text of a tag, a payload or the value of a record. Calls turn text into such bytes.
 *
 * @returns undefined if the bytes are not UTF-8
 */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
