import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openIdentity } from './file-identity.ts'

test('other users can not open the lock file of an identity, so they can not lock it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-lock-'))
  const file = join(folder, 'identity')
  const identity = await openIdentity(file)
  expect(statSync(`${file}.lock`).mode & 0o077).toBe(0)
  identity.release()
  chmodSync(`${file}.lock`, 0o644)
  const again = await openIdentity(file)
  expect(statSync(`${file}.lock`).mode & 0o077).toBe(0)
  again.release()
  rmSync(folder, { recursive: true })
})
