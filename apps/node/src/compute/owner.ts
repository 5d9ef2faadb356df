import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { generateIdentity, readOwner, type RecordOwner } from '@jel/jel'

/** Whose jobs this user submits, where no file is named. */
function defaultOwnerFile(): string {
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'jel', 'owner')
}

/** The key that owns this user's jobs; it is made the first time. */
export async function ownerOf(file = defaultOwnerFile()): Promise<RecordOwner> {
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    try {
      await generateIdentity(file)
    } catch (error) {
      // Another process made it meanwhile.
      if (!existsSync(file)) throw error
    }
  }
  return readOwner(file)
}
