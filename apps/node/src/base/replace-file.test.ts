import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
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
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceFile } from './replace-file.ts'

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

it('a new file has the rights of any other new file, and a link that leads nowhere stays', async () => {
  await Promise.all(
    ['new', 'link'].map(async (name) => {
      if (name === 'link') symlinkSync(join(folder, 'there'), join(folder, name))
      await replaceFile(join(folder, name), name)
    }),
  )
  writeFileSync(join(folder, 'usual'), '')
  expect(statSync(join(folder, 'new')).mode).toBe(statSync(join(folder, 'usual')).mode)
  expect([readFileSync(join(folder, 'there'), 'utf8'), lstatSync(join(folder, 'link')).isSymbolicLink()]).toEqual(['link', true])
  expect(readdirSync(folder).toSorted()).toEqual(['f', 'link', 'new', 'there', 'usual'])
})

it('a device takes the content', async () => {
  await replaceFile('/dev/null', 'new')
  expect(statSync('/dev/null').isFile()).toBe(false)
})

it('a name without room for a second one is written all the same', async () => {
  const long = join(folder, 'n'.repeat(250))
  writeFileSync(long, 'old')
  await replaceFile(long, 'new')
  expect(readFileSync(long, 'utf8')).toBe('new')
})

it.runIf(existsSync('/bin/sh')).each(['f', 'none'])('a disk that takes a part only keeps the old content, or none: %s', (name) => {
  const path = join(folder, name)
  const program = `
    import { replaceFile } from ${JSON.stringify(new URL('replace-file.ts', import.meta.url).href)}
    process.on('SIGXFSZ', () => {})
    await replaceFile(${JSON.stringify(path)}, 'n'.repeat(100_000)).catch(({ code }) => console.log(code))`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program]
  // The limit is in blocks of 512 bytes.
  const printed = execFileSync('/bin/sh', ['-c', 'ulimit -f 100; exec "$0" "$@"', process.execPath, ...flags], { encoding: 'utf8' })
  expect(printed).toBe('EFBIG\n')
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['f'])
})
