import { defaultConfig } from '@jel/protocol'
import { InvalidOptionError, TagTooLargeError } from './errors.ts'
import { toBytes } from './text.ts'

/**
 * Returns the bytes of a tag. Throws TagTooLargeError, or InvalidOptionError for any other type.
 */
export function checkTag(tag: unknown): Uint8Array {
  const bytes = typeof tag === 'string' ? toBytes(tag) : tag
  if (!(bytes instanceof Uint8Array)) throw new InvalidOptionError('tag: must be a Uint8Array or a string')
  const { tagBytes } = defaultConfig.limits
  if (bytes.length > tagBytes) throw new TagTooLargeError(bytes.length, tagBytes)
  return bytes
}
