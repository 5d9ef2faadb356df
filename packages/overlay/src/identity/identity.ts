/**
 * The identity of a node. An identity file keeps the Ed25519 key, and the used incarnations, across
 * restarts.
 *
 * The file is JSON, so that people can see what it is and back it up:
 * `{ "format": "jel-identity/1", "id": "12D3KooW…", "privateKey": "<libp2p protobuf, base64>",
 * "incarnation": 3 }`
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { fromString, toString } from 'uint8arrays'
import { CorruptIdentityError, IdentityFileError, codeOf, reasonOf } from '../base/errors.ts'
import { canonical, lockFile, type Lock } from './lock.ts'
import { nonFile, readSecret } from './secret-file.ts'

const format = 'jel-identity/1'
const fields = ['format', 'id', 'privateKey', 'incarnation']

/** A well-formed file has 300 bytes. */
const maxFileBytes = 4_096

/**
 * Incarnations that are reserved on disk in advance, so that a re-entry does not depend on a disk
 * that is full or slow. Guess: in an hour in which somebody ends this node's lives there are some
 * 16.
 */
const ahead = 64

export interface Identity {
  readonly id: string
  readonly privateKey: Ed25519PrivateKey
  /** The highest incarnation with which it may have entered a pool. 0: it never did. */
  readonly incarnation: number
  /**
   * Records on disk that an incarnation is used, together with some later ones, so that most calls
   * need no write. Throws {@link IdentityFileError}.
   */
  persist(incarnation: number): void
  /** Gives back the unused incarnations, if the disk accepts that, and unlocks the identity. */
  release(): void
}

/**
 * A key that owns records. `seed` is secret: the first 32 bytes of an Ed25519 private key. See
 * {@link readOwner}.
 */
export interface RecordOwner {
  readonly id: string
  readonly seed: Uint8Array
}

/** Returns a new key that is not stored. */
export async function ephemeralIdentity(): Promise<Identity> {
  const { id, privateKey } = await newKey()
  return { id, privateKey, incarnation: 0, persist: () => {}, release: () => {} }
}

/**
 * Opens the identity of a file, which is created if there is none, and locked until {@link
 * Identity.release}. Throws {@link IdentityInUseError}, {@link CorruptIdentityError} or {@link
 * IdentityFileError}.
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
        // The next start skips a few.
      } finally {
        lock.release()
      }
    },
  }
}

/**
 * Returns the key of an identity file, to own records with. It need not be a node's key, and may be
 * read while a node uses the file. Throws {@link CorruptIdentityError} or {@link
 * IdentityFileError}.
 */
export function readOwner(file: string): RecordOwner {
  checkPlace(file)
  const content = readContent(file)
  if (content === undefined) throw new IdentityFileError(`there is no identity file ${file}`)
  return { id: content.id, seed: content.privateKey.raw.slice(0, 32) }
}

/**
 * Creates an identity file and returns the id in it. Throws {@link IdentityFileError}, also if the
 * file exists.
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

interface Content {
  readonly id: string
  readonly privateKey: Ed25519PrivateKey
  readonly incarnation: number
}

async function newKey(): Promise<Content> {
  const privateKey = await generateKeyPair('Ed25519')
  return { id: peerIdFromPrivateKey(privateKey).toString(), privateKey, incarnation: 0 }
}

/** Returns undefined if there is no such file. */
function readContent(file: string): Content | undefined {
  let text: string
  try {
    const bytes = readSecret(file, maxFileBytes, (problem) => refused(file, problem))
    if (bytes.length > maxFileBytes) throw corrupt(file, `it is larger than ${maxFileBytes} bytes`)
    text = bytes.toString('utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw fileError('read', file, error)
  }
  return parseContent(file, text)
}

function parseContent(file: string, text: string): Content {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw corrupt(file, text.trim() === '' ? 'it is empty' : 'it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw corrupt(file, 'it is not a JSON object')
  const record = value as Record<string, unknown>
  for (const field of fields) if (!(field in record)) throw corrupt(file, `"${field}" is missing`)
  for (const field of Object.keys(record)) if (!fields.includes(field)) throw corrupt(file, `"${field}" is not known`)
  if (record['format'] !== format) throw corrupt(file, `"format" is not "${format}"`)
  const incarnation = record['incarnation']
  if (typeof incarnation !== 'number' || !Number.isSafeInteger(incarnation) || incarnation < 0) {
    throw corrupt(file, '"incarnation" is not a whole number ≥ 0')
  }
  const privateKey = parseKey(file, record['privateKey'])
  const id = peerIdFromPrivateKey(privateKey).toString()
  if (record['id'] !== id) throw corrupt(file, `"id" does not belong to "privateKey"`)
  return { id, privateKey, incarnation }
}

function parseKey(file: string, text: unknown): Ed25519PrivateKey {
  if (typeof text !== 'string') throw corrupt(file, '"privateKey" is not text')
  let key
  try {
    key = privateKeyFromProtobuf(fromString(text, 'base64pad'))
  } catch {
    throw corrupt(file, '"privateKey" is not a private key in base64')
  }
  if (key.type !== 'Ed25519') throw corrupt(file, `"privateKey" is a key of type ${key.type}, not Ed25519`)
  return key
}

async function createContent(file: string): Promise<Content> {
  const content = await newKey()
  writeContent(file, content, (temporary) => {
    linkSync(temporary, canonical(file)) // unlike rename, never replaces an existing file
    rmSync(temporary)
  })
  return content
}

function replaceContent(file: string, content: Content): void {
  writeContent(file, content, (temporary) => renameSync(temporary, canonical(file)))
}

/**
 * A fixed name, since only the holder of the lock writes. So the file of a killed process is found
 * and does not stay behind with the key in it.
 */
function temporaryOf(file: string): string {
  return `${canonical(file)}.tmp`
}

/** Atomic: a crash at any point leaves the old file or the new one, never half of it. */
function writeContent(file: string, content: Content, install: (temporary: string) => void): void {
  const temporary = temporaryOf(file)
  const text = JSON.stringify(
    {
      format,
      id: content.id,
      privateKey: toString(privateKeyToProtobuf(content.privateKey), 'base64pad'),
      incarnation: content.incarnation,
    },
    undefined,
    2,
  )
  try {
    const descriptor = openSync(temporary, 'wx', 0o600)
    try {
      // Not `writeSync`: a disk that is nearly full takes a part of it, and that is no error.
      writeFileSync(descriptor, `${text}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    install(temporary)
    syncFolder(dirname(temporary))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileError('write', file, error)
  }
}

/**
 * Makes a rename survive a power failure. Not every system lets folders be opened; there the rename
 * itself must suffice.
 */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Called before anything is written beside the file. */
function checkPlace(file: string): void {
  const problem = nonFile(file)
  if (problem !== undefined) throw refused(file, problem)
}

function refused(file: string, problem: string): IdentityFileError {
  return new IdentityFileError(`identity file ${file} ${problem}`)
}

function corrupt(file: string, problem: string): CorruptIdentityError {
  return new CorruptIdentityError(`identity file ${file} is damaged: ${problem}. It was left as it is`)
}

function fileError(action: 'read' | 'write', file: string, error: unknown): Error {
  if (error instanceof IdentityFileError || error instanceof CorruptIdentityError) return error
  const reason = codeOf(error) === 'EEXIST' ? 'it exists already' : reasonOf(error)
  return new IdentityFileError(`can't ${action} identity file ${file}: ${reason}`, { cause: error })
}
