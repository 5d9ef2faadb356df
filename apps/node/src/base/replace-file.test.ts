import {
  closeSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { replaceFile } from './replace-file.ts'

vi.mock('write-file-atomic', async (original) => {
  const { default: write } = await original<{ default: typeof writeFileAtomic }>()
  return { default: vi.fn(write) }
})

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-replace-'))
  file = join(folder, 'f')
  writeFileSync(file, 'old')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('a reader of the old content reads it to the end, and no other file stays', async () => {
  const reader = openSync(file, 'r')
  const { mode } = statSync(file)
  await replaceFile(file, 'new')
  const seen = Buffer.alloc(3)
  readSync(reader, seen)
  closeSync(reader)
  expect([seen.toString(), readFileSync(file, 'utf8')]).toEqual(['old', 'new'])
  expect(readdirSync(folder)).toEqual(['f'])
  expect(statSync(file).mode).toBe(mode)
})

it.each([
  ['a symbolic link', symlinkSync],
  ['a second name', linkSync],
])('%s stays, and leads to the new content', async (_, make) => {
  const other = join(folder, 'other')
  make(file, other)
  await replaceFile(other, 'new')
  expect([file, other].map((each) => readFileSync(each, 'utf8'))).toEqual(['new', 'new'])
  expect(readdirSync(folder)).toEqual(['f', 'other'])
})

it('a device takes the content', async () => {
  await replaceFile('/dev/null', 'new')
  expect(statSync('/dev/null').isFile()).toBe(false)
})

it.each([
  ['EBUSY', 'a file that can not be renamed takes the content as it comes', 'new'],
  ['EROFS', 'a file in a folder that takes no new file takes the content as it comes', 'new'],
  ['ENOSPC', 'a full disk keeps the old content', 'old'],
])('%s: %s', async (code, _, content) => {
  vi.mocked(writeFileAtomic).mockRejectedValueOnce(Object.assign(new Error(code), { code }))
  await replaceFile(file, 'new').catch((error: unknown) => expect(error).toMatchObject({ code: 'ENOSPC' }))
  expect(readFileSync(file, 'utf8')).toBe(content)
})
