import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromString, toString } from 'uint8arrays'
import { afterAll, describe, expect, test } from 'vitest'
import { PoolKeyError, PoolKeyFileError } from '../base/errors.ts'
import { checkPoolKey, generatePoolKey } from './pool-key.ts'
import { readPoolKey } from './pool-key-file.ts'

const digits = 'ab'.repeat(32)

describe('a pool key', () => {
  test('is valid when generated, and never the same twice', () => {
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

describe('the file of a pool key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-key-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('is read if no other user can read it', () => {
    const key = generatePoolKey()
    writeFileSync(join(folder, 'own'), key, { mode: 0o600 })
    expect(readPoolKey(join(folder, 'own'))).toEqual(Buffer.from(key))
    writeFileSync(join(folder, 'open'), key, { mode: 0o640 })
    expect(() => readPoolKey(join(folder, 'open'))).toThrow(PoolKeyFileError)
    expect(() => readPoolKey(join(folder, 'open'))).toThrow(/chmod 600/u)
  })

  test('is refused if it is a folder or missing', () => {
    expect(() => readPoolKey(folder)).toThrow(/is a folder/u)
    expect(() => readPoolKey(join(folder, 'none'))).toThrow(PoolKeyFileError)
  })

  test('is read in part if it is endless', () => {
    expect(readPoolKey('/dev/zero').length).toBeLessThan(2_048)
  })
})
