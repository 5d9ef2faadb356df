/**
 * Keys of private pools. A key is the text of a libp2p `swarm.key` file: two header lines, then 32
 * random bytes in hexadecimal. A node without the key can't finish a handshake and can't read
 * anything.
 */
import { randomBytes } from '#platform/crypto'
import { fromString, toString } from 'uint8arrays'
import { PoolKeyError } from '../base/errors.ts'

const header = '/key/swarm/psk/1.0.0/'
const encoding = '/base16/'

/** Returns a new key, as the text of a `swarm.key` file. */
export function generatePoolKey(): Uint8Array {
  return fromString(`${header}\n${encoding}\n${toString(randomBytes(32), 'base16')}\n`)
}

/**
 * Returns the key in its one canonical spelling. Throws {@link PoolKeyError}. The error names the
 * problem and never shows the key.
 */
export function checkPoolKey(key: Uint8Array): Uint8Array {
  const lines = toString(key).replaceAll('\r\n', '\n').trimEnd().split('\n')
  if (lines[0]?.trim() !== header) throw new PoolKeyError(`a pool key starts with the line ${header}`)
  if (lines[1]?.trim() !== encoding) throw new PoolKeyError(`the second line of a pool key is ${encoding}`)
  const digits = lines[2]?.trim() ?? ''
  if (!/^[0-9a-f]*$/iu.test(digits)) throw new PoolKeyError('the third line of a pool key has characters other than hexadecimal digits')
  if (digits.length !== 64) throw new PoolKeyError(`the third line of a pool key has 64 hexadecimal digits, not ${digits.length}`)
  if (lines.length > 3) throw new PoolKeyError('a pool key has three lines, not more')
  return fromString([header, encoding, digits.toLowerCase()].join('\n'))
}
