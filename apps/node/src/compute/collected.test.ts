import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, writeFiles } from './collected.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'jel-collected-'))))
afterEach(() => rmSync(folder, { recursive: true }))
const bytes = Buffer.from('new')

describe('the files of a sweep', () => {
  it('replace those of an earlier run', async () => {
    for (const content of ['old', 'new']) await writeFiles(join(folder, 'a/1'), [{ path: 'out/x', bytes: Buffer.from(content) }])
    expect(readFileSync(join(folder, 'a/1/out/x'), 'utf8')).toBe('new')
    expect(readdirSync(join(folder, 'a/1/out'))).toEqual(['x'])
  })

  it('follow no link that is already there', async () => {
    mkdirSync(join(folder, '1'))
    mkdirSync(join(folder, 'elsewhere'))
    writeFileSync(join(folder, 'kept'), 'old')
    symlinkSync(join(folder, 'elsewhere'), join(folder, '1/out'))
    symlinkSync(join(folder, 'kept'), join(folder, '1/x'))
    await expect(writeFiles(join(folder, '1'), [{ path: 'out/y', bytes }])).rejects.toMatchObject({ code: 'NO_FOLDER' })
    await writeFiles(join(folder, '1'), [{ path: 'x', bytes }])
    expect(existsSync(join(folder, 'elsewhere/y'))).toBe(false)
    expect([readFileSync(join(folder, 'kept'), 'utf8'), readFileSync(join(folder, '1/x'), 'utf8')]).toEqual(['old', 'new'])
  })

  it('that are gone fail their input, and the others are written', async () => {
    const named = (blob: string): unknown => ({ value: blob, files: { blob } })
    const files = async ({ blob }: { blob: string }): Promise<{ path: string; bytes: Uint8Array }[]> =>
      await (blob === 'gone'
        ? Promise.reject(Object.assign(new Error('none'), { code: 'BLOB_MISSING' }))
        : Promise.resolve([{ path: 'x', bytes }]))
    const values = [named('gone'), named('here'), 'a lie']
    const result = Promise.resolve(values.map((value) => ({ status: 'fulfilled', value })))
    const collected = await collect({ files, result }, { folder, keepGoing: true })
    expect(collected).toMatchObject({
      files: 1,
      result: [{ status: 'rejected', reason: { code: 'BLOB_MISSING' } }, { status: 'fulfilled', value: 'here' }, { status: 'rejected' }],
    })
    expect(readFileSync(join(folder, '2/x'), 'utf8')).toBe('new')
    rmSync(join(folder, '2'), { recursive: true })
    await expect(collect({ files, result: Promise.resolve(values) }, { folder, keepGoing: false })).rejects.toThrow('none')
    expect(readFileSync(join(folder, '2/x'), 'utf8')).toBe('new')
  })
})
