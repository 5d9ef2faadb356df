const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns a tag, a payload or a value of a record as text: the reverse of a text that a call took.
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
