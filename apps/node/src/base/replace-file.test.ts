import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceFile } from './replace-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-replace-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('a reader finds the old content or the new one, and no other file stays', async () => {
  const file = join(folder, 'f')
  writeFileSync(file, 'old', { mode: 0o640 })
  const seen = new Set<string>()
  const watcher = watch(folder, () => seen.add(readFileSync(file, 'utf8')))
  await replaceFile(file, 'new')
  await expect.poll(() => seen.has('new')).toBe(true)
  watcher.close()
  expect([...seen].filter((content) => content !== 'old' && content !== 'new')).toEqual([])
  expect(readdirSync(folder)).toEqual(['f'])
  expect(statSync(file).mode & 0o777).toBe(0o640)
})

it('a symbolic link stays one', async () => {
  const [file, link] = [join(folder, 'f'), join(folder, 'l')]
  writeFileSync(file, 'old')
  symlinkSync(file, link)
  await replaceFile(link, 'new')
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readdirSync(folder).sort()).toEqual(['f', 'l'])
})

it('a device takes the content', async () => {
  await replaceFile('/dev/null', 'new')
  expect(statSync('/dev/null').isFile()).toBe(false)
})

it('content that can not be written leaves the old content', async () => {
  const file = join(folder, 'f')
  writeFileSync(file, 'old')
  mkdirSync(`${file}.${process.pid}.tmp`)
  await expect(replaceFile(file, 'new')).rejects.toThrow('EISDIR')
  expect(readFileSync(file, 'utf8')).toBe('old')
})
