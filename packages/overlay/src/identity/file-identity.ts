/** An identity file keeps the Ed25519 key and the used incarnations across restarts. */
import { rmSync } from 'node:fs'
import { IdentityFileError } from '../base/errors.ts'
import { checkPlace, createContent, readContent, replaceContent, temporaryOf, type Content } from './identity-file.ts'
import type { Identity, RecordOwner } from './identity.ts'
import { lockFile, type Lock } from './lock.ts'

/**
 * Number of incarnations that a node reserves on disk in advance. So a re-entry does not depend on
 * a disk that is full or slow. Guess: a node uses some 16 in an hour in which an attacker ends its
 * lives.
 */
const ahead = 64

/**
 * Opens the identity of a file. Creates the file if there is none, and locks it until
 * {@link Identity.release}. Throws {@link IdentityInUseError}, {@link CorruptIdentityError} or
 * {@link IdentityFileError}.
 */
export async function openIdentity(file: string): Promise<Identity> {
  checkPlace(file)
  const lock = lockFile(file)
  try {
    // A process that was killed while it wrote the key may have left this file.
    rmSync(temporaryOf(file), { force: true })
    const content = readContent(file) ?? (await createContent(file))
    return { ...content, ...incarnationsOf(file, content, lock) }
  } catch (error) {
    lock.release()
    throw error
  }
}

function incarnationsOf(file: string, content: Content, lock: Lock): Pick<Identity, 'persist' | 'release'> {
  let { incarnation: used } = content
  let written = used
  const write = (incarnation: number): void => {
    replaceContent(file, { ...content, incarnation })
    written = incarnation
  }
  return {
    persist(incarnation) {
      if (incarnation > written) write(incarnation + ahead)
      used = incarnation
    },
    release() {
      try {
        if (used !== written) write(used)
      } catch {
        // The next start skips the reserved incarnations.
      } finally {
        lock.release()
      }
    },
  }
}

/**
 * Returns the key of an identity file. An application can publish records in the name of this key.
 * It need not be the key of a node. A node may use the file meanwhile. Throws {@link
 * CorruptIdentityError} or {@link IdentityFileError}.
 */
export function readOwner(file: string): RecordOwner {
  checkPlace(file)
  const content = readContent(file)
  if (content === undefined) throw new IdentityFileError(`there is no identity file ${file}`)
  return { id: content.id, seed: content.privateKey.raw.slice(0, 32) }
}

/**
 * Creates an identity file and returns the id in it. Throws {@link IdentityFileError}, also if the
 * file exists, or {@link IdentityInUseError} if another process holds it.
 */
export async function generateIdentity(file: string): Promise<string> {
  checkPlace(file)
  let lock: Lock | undefined
  try {
    lock = lockFile(file)
    rmSync(temporaryOf(file), { force: true })
    return (await createContent(file)).id
  } finally {
    lock?.release()
  }
}
