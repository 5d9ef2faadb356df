/**
 * The file of an identity. It is JSON, so that people can recognize the file and back it up:
 * `{ "format": "jel-identity/1", "id": "12D3KooW…", "privateKey": "<libp2p protobuf, base64>",
 * "incarnation": 3 }`
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import { fromString, toString } from 'uint8arrays'
import { CorruptIdentityError, IdentityFileError, codeOf, reasonOf } from '../base/errors.ts'
import { newKey } from './identity.ts'
import { canonical } from './lock.ts'
import { nonFile, readSecret } from './secret-file.ts'

const format = 'jel-identity/1'
const fields = ['format', 'id', 'privateKey', 'incarnation']

/** Largest file, bytes. A well-formed file has 300. */
const maxFileBytes = 4_096

export interface Content {
  readonly id: string
  readonly privateKey: Ed25519PrivateKey
  readonly incarnation: number
}

/** Returns undefined if there is no such file. */
export function readContent(file: string): Content | undefined {
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

export async function createContent(file: string): Promise<Content> {
  const content = await newKey()
  writeContent(file, content, (temporary) => {
    linkSync(temporary, canonical(file)) // unlike rename, link never replaces an existing file
    rmSync(temporary)
  })
  return content
}

export function replaceContent(file: string, content: Content): void {
  writeContent(file, content, (temporary) => renameSync(temporary, canonical(file)))
}

/**
 * Returns the name of the temporary file. The name is fixed, since only the holder of the lock
 * writes. So the next process finds and removes the file of a killed process, and the key in it
 * does not stay behind.
 */
export function temporaryOf(file: string): string {
  return `${canonical(file)}.tmp`
}

/** Atomic: a crash at any point leaves the old file or the new one, never a part of it. */
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
      // Not `writeSync`: if the disk is nearly full, it writes only a part and throws no error.
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
 * Makes a rename survive a power failure. Windows can't open folders. There the rename itself must
 * suffice.
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

/** Throws if the path can't be an identity file. Call this before any write beside the file. */
export function checkPlace(file: string): void {
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
