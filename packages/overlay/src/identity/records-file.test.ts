import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecordsFile } from './records-file.ts'

let folder: string
let identity: string
let warnings: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-records-'))
  identity = join(folder, 'identity')
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (pool = 'p'): RecordsFile => new RecordsFile(identity, pool, (message) => warnings.push(message))
const frames = [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(1000).fill(7)]
const file = (): string => `${identity}.records`

describe('saved records', () => {
  test('are read again, from a file that only its owner can read', async () => {
    expect(open().read().records).toEqual([])
    expect(await open().write(frames)).toBe(true)
    expect(open().read().records).toEqual(frames)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(Math.abs(Date.now() - open().read().at)).toBeLessThan(10_000)
    expect(warnings).toEqual([])
  })

  test('count up to the place where the file was cut', async () => {
    await open().write(frames)
    const { size } = statSync(file())
    for (let cut = 1; cut < size; cut += 12) {
      truncateSync(file(), size - cut)
      const read = open().read().records
      expect(frames.slice(0, read.length)).toEqual(read)
      expect(read.length).toBeLessThan(3)
      expect(warnings.splice(0)).toEqual([expect.stringContaining(file())])
      await open().write(frames)
    }
  })

  test('of another pool, noise, and a file that is too large are ignored with a warning, and replaced', async () => {
    await open('other').write(frames)
    const contents = [readFileSync(file()), new Uint8Array(5000).fill(9), new Uint8Array(0), new Uint8Array(9 * 2 ** 20).fill(10)]
    for (const content of contents) {
      writeFileSync(file(), content)
      expect(open().read().records).toEqual([])
      expect(warnings.splice(0)).toHaveLength(1)
    }
    await open().write(frames)
    expect(open().read().records).toEqual(frames)
  })

  test('that can not be written are warned of once, until a write succeeds', async () => {
    mkdirSync(`${file()}.tmp/full`, { recursive: true })
    const records = open()
    expect([await records.write(frames), await records.write(frames)]).toEqual([false, false])
    expect(warnings).toEqual([expect.stringContaining("can't write")])
    rmSync(`${file()}.tmp`, { recursive: true })
    expect(await records.write(frames)).toBe(true)
  })

  test.skipIf(process.getuid?.() === 0)('in a folder that is read-only stay as they are', async () => {
    await open().write(frames)
    chmodSync(folder, 0o500)
    expect(await open().write([])).toBe(false)
    chmodSync(folder, 0o700)
    expect(open().read().records).toEqual(frames)
  })
})
