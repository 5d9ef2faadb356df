import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseNpy } from './npy.ts'
import { readValue, writeValue } from './value-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-values-'))
const at = (name: string): string => join(folder, name)

afterAll(() => rmSync(folder, { recursive: true }))

/** `numpy.save` of NumPy 2.4 for this dtype and shape. */
function saved(descr: string, shape: string, data: Uint8Array): Buffer {
  const header = `${`{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117)}\n`
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00v\x00', 'latin1'), Buffer.from(header), data])
}

describe('an input from a file', () => {
  it('is an array with its shape from .npy', async () => {
    writeFileSync(at('a.npy'), saved('<f8', '(2, 3)', new Uint8Array(Float64Array.of(1, 2, 3, 4, 5, 6).buffer)))
    expect(await readValue(at('a.npy'))).toEqual({ shape: [2, 3], data: Float64Array.of(1, 2, 3, 4, 5, 6) })
    writeFileSync(at('b.npy'), saved('<i8', '(2,)', new Uint8Array(BigInt64Array.of(-1n, 2n ** 60n).buffer)))
    expect(await readValue(at('b.npy'))).toEqual({ shape: [2], data: BigInt64Array.of(-1n, 2n ** 60n) })
    writeFileSync(at('c.npy'), saved('|u1', '()', Uint8Array.of(7)))
    expect(await readValue(at('c.npy'))).toEqual({ shape: [], data: Uint8Array.of(7) })
  })

  it('is JSON from .json, and bytes from others', async () => {
    writeFileSync(at('a.json'), '{"rate": 0.5}')
    writeFileSync(at('a.txt'), 'text')
    expect(await readValue(at('a.json'))).toEqual({ rate: 0.5 })
    expect(await readValue(at('a.txt'))).toEqual(new Uint8Array(Buffer.from('text')))
  })

  it.each([
    ['none.json', undefined, 'ENOENT'],
    ['bad.json', Buffer.from('{'), 'is no JSON'],
    ['bad.npy', Buffer.from('text'), 'is no .npy file'],
    ['cut.npy', saved('<f8', '(2,)', new Uint8Array(8)), 'has 8 bytes of data, not 16'],
    ['objects.npy', saved('|O', '(2,)', new Uint8Array(8)), 'dtype |O has no typed array'],
    ['big.npy', saved('>f8', '(1,)', new Uint8Array(8)), 'dtype >f8 has no typed array'],
    [
      'fortran.npy',
      Buffer.from(saved('<f8', '(1,)', new Uint8Array(8)).toString('latin1').replace('False', 'True').replace('}', '} '), 'latin1'),
      'Fortran',
    ],
    ['record.npy', saved('<f8', "('a',)", new Uint8Array(8)), 'is not understood'],
  ])('is refused: %s', async (name, content, message) => {
    if (content !== undefined) writeFileSync(at(name), content)
    await expect(readValue(at(name))).rejects.toThrow(message)
  })
})

describe('a result in a file', () => {
  it.each([
    ['a typed array', Float32Array.of(1.5, -2), { shape: [2], data: Float32Array.of(1.5, -2) }],
    ['an array with its shape', { shape: [1, 2], data: Int16Array.of(3, 4) }, { shape: [1, 2], data: Int16Array.of(3, 4) }],
    ['bytes', Uint8Array.of(1, 2), { shape: [2], data: Uint8Array.of(1, 2) }],
  ])('is %s in .npy, aligned as NumPy wants', async (_, value, array) => {
    await writeValue(at('out.npy'), value)
    const bytes = readFileSync(at('out.npy'))
    expect(parseNpy(bytes, 'out.npy')).toEqual(array)
    expect((bytes.length - array.data.byteLength) % 64).toBe(0)
  })

  it('is bytes as they are, and else JSON', async () => {
    expect(await writeValue(at('out.bin'), Uint8Array.of(1, 2))).toBe(2)
    expect(readFileSync(at('out.bin'))).toEqual(Buffer.of(1, 2))
    await writeValue(at('out.json'), Uint8Array.of(1, 2))
    expect(readFileSync(at('out.json'), 'utf8')).toBe('"AQI="\n')
    await writeValue(at('out.txt'), { a: [1, 2n] })
    expect(JSON.parse(readFileSync(at('out.txt'), 'utf8'))).toEqual({ a: [1, 2] })
  })

  it('is refused in .npy if it is no array, or does not have as many elements as its shape says', async () => {
    await expect(writeValue(at('x.npy'), { shape: [3], data: Int8Array.of(1) })).rejects.toThrow('neither a typed array')
    await expect(writeValue(at('x.npy'), [1, 2])).rejects.toThrow('neither a typed array')
  })
})
