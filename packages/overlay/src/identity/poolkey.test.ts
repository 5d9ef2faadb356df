import { fromString, toString } from 'uint8arrays'
import { describe, expect, test } from 'vitest'
import { PoolKeyError } from '../base/errors.ts'
import { checkPoolKey, generatePoolKey } from './poolkey.ts'

const digits = 'ab'.repeat(32)

describe('a pool key', () => {
  test('is generated valid and never twice the same', () => {
    const key = generatePoolKey()
    expect(toString(checkPoolKey(key))).toBe(toString(key).trimEnd())
    expect(toString(generatePoolKey())).not.toBe(toString(key))
  })

  test('may have been edited on another system', () => {
    const canonical = `/key/swarm/psk/1.0.0/\n/base16/\n${digits}`
    expect(toString(checkPoolKey(fromString(`/key/swarm/psk/1.0.0/\r\n/base16/\r\n${digits.toUpperCase()}\r\n\r\n`)))).toBe(canonical)
  })

  test.each([
    ['', /starts with the line/u],
    [`/key/swarm/psk/2.0.0/\n/base16/\n${digits}`, /starts with the line/u],
    [`/key/swarm/psk/1.0.0/\n/base64/\n${digits}`, /second line/u],
    ['/key/swarm/psk/1.0.0/\n/base16/', /64 hexadecimal digits, not 0/u],
    [`/key/swarm/psk/1.0.0/\n/base16/\n${digits.slice(2)}`, /64 hexadecimal digits, not 62/u],
    [`/key/swarm/psk/1.0.0/\n/base16/\n${digits.slice(1)}g`, /other than hexadecimal/u],
    [`/key/swarm/psk/1.0.0/\n/base16/\n${digits}\nmore`, /three lines/u],
  ])('is refused with the reason: %j', (text, problem) => {
    expect(() => checkPoolKey(fromString(text))).toThrow(PoolKeyError)
    expect(() => checkPoolKey(fromString(text))).toThrow(problem)
  })
})
