import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JobFile } from './job-file.ts'

const MOST = 1_000_000
const key = new Uint8Array(32).fill(1)
const parts = [1, 2, 3].map((byte) => new Uint8Array(byte * 10).fill(byte))

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-job-file-'))
  path = join(folder, 'job')
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (id = 'job', secret = key): JobFile => new JobFile(path, secret, id)

describe('the file of a job', () => {
  it('gives back its parts in order, and grows at its end', async () => {
    expect(await open().read(MOST)).toEqual({ parts: [], problem: undefined })
    const file = open()
    await file.replace(parts.slice(0, 1))
    await file.append(parts.slice(1))
    expect(file.size).toBe(statSync(path).size)
    const again = open()
    expect(await again.read(MOST)).toEqual({ parts, problem: undefined })
    await again.append(parts)
    expect((await open().read(MOST)).parts).toEqual([...parts, ...parts])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('gives back the parts before a cut one, and is then written as a whole', async () => {
    await open().replace(parts)
    const whole = readFileSync(path)
    for (let size = 0; size < whole.length; size++) {
      writeFileSync(path, whole)
      truncateSync(path, size)
      const file = open()
      const read = await file.read(MOST)
      expect(read.parts).toEqual(parts.slice(0, read.parts.length))
      expect(read.parts.length).toBeLessThan(3)
      // The killed process had written the header.
      if (size > 30) expect(read.problem).toBeUndefined()
    }
  })

  it('gives back only the parts before noise, wherever it is, and names the problem', async () => {
    await open().replace(parts)
    const whole = readFileSync(path)
    for (let at = 0; at < whole.length; at++) {
      const noisy = Buffer.from(whole)
      noisy[at] = (noisy[at] as number) ^ 0x15
      writeFileSync(path, noisy)
      const read = await open().read(MOST)
      expect(read.parts).toEqual(parts.slice(0, read.parts.length))
      expect(read.parts.length).toBeLessThan(3)
    }
    writeFileSync(path, Buffer.concat([whole, Buffer.alloc(100)]))
    expect(await open().read(MOST)).toEqual({ parts, problem: 'it is damaged after 3 parts' })
  })

  it('of another pool or member, of another job, too large, or no file gives back nothing', async () => {
    await open().replace(parts)
    const nothing = (problem: string): unknown => ({ parts: [], problem: expect.stringContaining(problem) })
    expect(await open('job', new Uint8Array(32).fill(2)).read(MOST)).toEqual(nothing('another pool'))
    expect(await open('other').read(MOST)).toEqual(nothing('another pool'))
    expect(await open().read(60)).toEqual(nothing('larger than 60 bytes'))
    rmSync(path)
    mkdirSync(path)
    expect(await open().read(MOST)).toEqual(nothing('no file'))
  })

  it('can not be added to after it is gone, or after a write failed', async () => {
    const file = open()
    await file.replace(parts)
    rmSync(path)
    await expect(file.append(parts)).rejects.toMatchObject({ code: 'ENOENT' })
    expect(file.isSound).toBe(false)
    await file.replace(parts)
    expect((await open().read(MOST)).parts).toEqual(parts)
  })
})
