import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateIdentity, readOwner, type RecordOwner } from '@jel/jel'
import { codeOf, UsageError } from '../base/usage-error.ts'

/** The time that another process may take to make a key, ms. A guess: many times the usual time. */
const MAKING = 5000

/** Returns the default key file of this user's jobs. */
function defaultOwnerFile(): string {
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'jel', 'owner')
}

async function appears(file: string): Promise<void> {
  for (const end = performance.now() + MAKING; performance.now() < end && !existsSync(file);) await sleep(20)
}

/** Returns the key that owns this user's jobs, and makes it the first time. */
export async function ownerOf(file = defaultOwnerFile()): Promise<RecordOwner> {
  if (!existsSync(file)) {
    if (/^12D3KooW\w+$/u.test(file)) throw new UsageError(`--owner names a file with a key, and ${file} is the id of a key`)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      await generateIdentity(file)
    } catch (error) {
      // Another process makes the key, or has just made it.
      if (codeOf(error) === 'IDENTITY_IN_USE') await appears(file)
      if (!existsSync(file)) throw error
    }
  }
  return readOwner(file)
}
