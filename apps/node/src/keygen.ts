import { fstatSync, writeFileSync } from 'node:fs'
import { generateIdentity, generatePoolKey } from '@jel/jel'
import { messageOf, UsageError } from './base/usage-error.ts'

/** The flags of `jel keygen`. */
export interface KeygenFlags {
  readonly keyFile?: string
  readonly identity?: string
}

/** Makes a key, and writes it so that only its owner can read it. It never replaces a file. */
export async function keygen(flags: KeygenFlags): Promise<void> {
  if (flags.keyFile !== undefined && flags.identity !== undefined) {
    throw new UsageError('--key-file and --identity are two things: make one at a time')
  }
  if (flags.identity !== undefined) {
    const id = await generateIdentity(flags.identity)
    process.stdout.write(`${id}\n`)
    return
  }
  const key = generatePoolKey()
  if (flags.keyFile === undefined) {
    process.stdout.write(key)
    warnOfReaders()
  } else writeNew(flags.keyFile, key)
}

/** Warns about the file of `jel keygen > file`: mostly the shell makes it readable for all. */
function warnOfReaders(): void {
  const status = fstatSync(1)
  if (process.platform === 'win32' || !status.isFile() || (status.mode & 0o077) === 0) return
  process.stderr.write('jel: other users can read the file that the key was written to, and --key-file refuses it: run chmod 600 on it\n')
}

function writeNew(file: string, content: Uint8Array): void {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new Error(`${file} exists already; it is not replaced`, { cause: error })
    }
    throw new Error(`can't write ${file}: ${messageOf(error)}`, { cause: error })
  }
}
