import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownerOf } from './owner.ts'

it('commands that start together the first time have one owner', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-owner-'))
  const owners = await Promise.all(Array.from({ length: 4 }, async () => await ownerOf(join(folder, 'new', 'owner'))))
  expect(new Set(owners.map(({ id }) => id)).size).toBe(1)
  rmSync(folder, { recursive: true })
})

it('the id of a key is no key file, and makes none', async () => {
  const id = '12D3KooWFcrb6ywHKxycNsmTEj48'
  await expect(ownerOf(id)).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining('names a file') })
  expect(existsSync(id)).toBe(false)
})
