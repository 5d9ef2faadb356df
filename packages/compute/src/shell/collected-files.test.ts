import { describe, expect, it } from 'vitest'
import { encodeFiles, isInside } from '../program/collected-files.ts'
import { toBytes } from '../schemas.ts'
import { decodeFiles } from './collected-files.ts'

const bytes = Uint8Array.of(1, 2)

describe('collected files', () => {
  it('come back unchanged from their blob', () => {
    const files = [
      { path: 'out/a.csv', bytes },
      { path: '__proto__', bytes: new Uint8Array() },
    ]
    expect(decodeFiles(encodeFiles(files))).toEqual(files)
  })

  it.each(['', '/etc/passwd', '..', '../a', 'a/../b', 'a/./b', 'a//b', 'a/', 'C:x', 'a\\b', 'a\nb', 'a\u009Bb', 'a'.repeat(513)])(
    'do not have the path %j',
    (path) => {
      expect(isInside(path)).toBe(false)
      expect(() => decodeFiles(toBytes([[path, bytes]]))).toThrow('a path leads out of the folder')
    },
  )

  it.each([
    [
      'two of one path',
      [
        ['a', bytes],
        ['a', bytes],
      ],
    ],
    ['too many', Array.from({ length: 257 }, (_, number) => [`${number}`, bytes])],
    ['text in place of bytes', [['a', 'b']]],
    ['no list', { a: bytes }],
  ])('are refused: %s', (_, value) => {
    expect(() => decodeFiles(toBytes(value))).toThrow(Error)
  })
})
