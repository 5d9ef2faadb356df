import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { toString } from 'uint8arrays'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CorruptIdentityError, IdentityFileError, IdentityInUseError } from '../base/errors.ts'
import { generateIdentity, openIdentity } from './file-identity.ts'

let folder: string
let file: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-identity-'))
  file = join(folder, 'identity.json')
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** Starts another process, in which `changes` may replace Node's own functions. */
function start(changes: string, module: string, action: string): ChildProcess {
  const program = `
    import fs from 'node:fs'
    import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    ${changes}
    syncBuiltinESMExports()
    const { lockFile, openIdentity } = await import(${JSON.stringify(new URL(module, import.meta.url).href)})
    ${action}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return child
}

/** Starts another process that holds the lock of a file. */
async function holder(target: string, changes = ''): Promise<ChildProcess> {
  const child = start(changes, './lock.ts', `lockFile(${JSON.stringify(target)}); console.log('held'); setInterval(() => {}, 1000)`)
  await once(child.stdout!, 'data')
  return child
}

describe('an identity file', () => {
  test('is created for its owner alone, and gives the same id and the last incarnation again', async () => {
    const first = await openIdentity(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(first.incarnation).toBe(0)
    first.persist(7)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    first.release()
    const second = await openIdentity(file)
    expect(second.id).toBe(first.id)
    expect(second.incarnation).toBe(7)
    second.release()
    expect(readdirSync(folder)).toEqual(['identity.json', 'identity.json.lock'])
  })

  test.each([
    ['before it is in its place', 'fs.fsyncSync'],
    ['at the last moment', 'fs.renameSync'],
  ])('leaves no key in other files when a process is killed as it writes it, %s', async (_when, call) => {
    await generateIdentity(file)
    const child = start(
      `${call} = () => process.kill(process.pid, 'SIGKILL')`,
      './file-identity.ts',
      `const identity = await openIdentity(${JSON.stringify(file)}); identity.persist(5)`,
    )
    await once(child, 'exit')
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077 & (name.endsWith('.lock') ? 0 : 0o777)).toBe(0)
    const identity = await openIdentity(file)
    expect(identity.incarnation).toBe(0)
    identity.release()
    const { privateKey } = JSON.parse(readFileSync(file, 'utf8')) as { privateKey: string }
    const others = readdirSync(folder).filter((name) => name !== 'identity.json')
    expect(others.filter((name) => readFileSync(join(folder, name), 'utf8').includes(privateKey))).toEqual([])
  })

  test('behind a symbolic link is written where the link points', async () => {
    await generateIdentity(file)
    const alias = join(folder, 'alias.json')
    symlinkSync(file, alias)
    const identity = await openIdentity(alias)
    identity.persist(3)
    identity.release()
    const again = await openIdentity(file)
    expect(again.incarnation).toBe(3)
    again.release()
  })

  test('is generated once and never overwritten', async () => {
    const id = await generateIdentity(file)
    const before = readFileSync(file, 'utf8')
    await expect(generateIdentity(file)).rejects.toThrow(/exists already/u)
    expect(readFileSync(file, 'utf8')).toBe(before)
    const identity = await openIdentity(file)
    expect(identity.id).toBe(id)
    identity.release()
  })

  test('that can be read by others is refused', async () => {
    await generateIdentity(file)
    chmodSync(file, 0o644)
    await expect(openIdentity(file)).rejects.toThrow(IdentityFileError)
    await expect(openIdentity(file)).rejects.toThrow(/chmod 600/u)
  })

  test('that can not be written is named in the error', async () => {
    const missing = join(folder, 'nowhere', 'identity.json')
    const error: unknown = await openIdentity(missing).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(IdentityFileError)
    expect((error as Error).message).toContain(missing)
  })

  test('whose disk is gone fails to persist with a clear error', async () => {
    const identity = await openIdentity(file)
    rmSync(folder, { recursive: true })
    expect(() => identity.persist(2)).toThrow(IdentityFileError)
    identity.release()
    folder = mkdtempSync(join(tmpdir(), 'jel-identity-'))
  })

  test.skipIf(process.platform !== 'linux')('stays as it is when the disk takes only a part of the next one', async () => {
    await generateIdentity(file)
    const before = readFileSync(file, 'utf8')
    const child = start(
      `const { execFileSync } = await import('node:child_process')
      execFileSync('prlimit', ['--fsize=100', '--pid', String(process.pid)])`,
      './file-identity.ts',
      `const identity = await openIdentity(${JSON.stringify(file)})
      try { identity.persist(1); console.log('written') } catch (error) { console.log(error.name) }
      process.kill(process.pid, 'SIGKILL')`,
    )
    const [said] = (await once(child.stdout!, 'data')) as [Buffer]
    expect(said.toString()).toBe('IdentityFileError\n')
    await once(child, 'exit')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('needs no disk for the next lives of a process, and repeats none of them after a crash', async () => {
    await generateIdentity(file)
    const child = start(
      `const sync = fs.fsyncSync; let writes = 0; fs.fsyncSync = (file) => { if (++writes > 2) throw new Error('no space'); sync(file) }`,
      './file-identity.ts',
      `const identity = await openIdentity(${JSON.stringify(file)})
      for (let incarnation = 1; incarnation <= 65; incarnation++) identity.persist(incarnation)
      try { identity.persist(66) } catch (error) { console.log(error.name, error.message) }
      process.kill(process.pid, 'SIGKILL')`,
    )
    const [said] = (await once(child.stdout!, 'data')) as [Buffer]
    expect(said.toString()).toBe(`IdentityFileError can't write identity file ${file}: no space\n`)
    await once(child, 'exit')
    const identity = await openIdentity(file)
    expect(identity.incarnation).toBe(65)
    identity.release()
  })

  test('takes back the incarnations that a process did not use', async () => {
    const identity = await openIdentity(file)
    identity.persist(3)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ incarnation: 67 })
    identity.release()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ incarnation: 3 })
  })
})

describe('a damaged identity file is refused by name and left as it is:', () => {
  const good = async (): Promise<Record<string, unknown>> => {
    await generateIdentity(file)
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  }
  test.each<[string, (content: Record<string, unknown>) => Promise<unknown>, RegExp]>([
    ['empty', async () => '', /it is empty/u],
    ['cut off', async (content) => JSON.stringify(content).slice(0, 50), /not JSON/u],
    ['no object', async () => '[]', /not a JSON object/u],
    ['too large', async () => 'x'.repeat(5_000), /larger than 4096 bytes/u],
    ['a field missing', async (content) => ({ ...content, id: undefined }), /"id" is missing/u],
    ['an unknown field', async (content) => ({ ...content, extra: 1 }), /"extra" is not known/u],
    ['another format', async (content) => ({ ...content, format: 'pem' }), /"format"/u],
    ['a negative incarnation', async (content) => ({ ...content, incarnation: -1 }), /"incarnation"/u],
    ['a broken key', async (content) => ({ ...content, privateKey: 'AAAA' }), /"privateKey" is not a private key/u],
    [
      'another type of key',
      async (content) => ({ ...content, privateKey: toString(privateKeyToProtobuf(await generateKeyPair('secp256k1')), 'base64pad') }),
      /type secp256k1/u,
    ],
    [
      "another node's key",
      async (content) => ({ ...content, privateKey: toString(privateKeyToProtobuf(await generateKeyPair('Ed25519')), 'base64pad') }),
      /"id" does not belong/u,
    ],
  ])('%s', async (_what, damage, problem) => {
    const content = await good()
    const damaged = await damage(content)
    const text = typeof damaged === 'string' ? damaged : JSON.stringify(damaged)
    writeFileSync(file, text)
    const error: unknown = await openIdentity(file).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(CorruptIdentityError)
    expect((error as Error).message).toMatch(problem)
    expect((error as Error).message).toContain(file)
    expect(readFileSync(file, 'utf8')).toBe(text)
    writeFileSync(file, JSON.stringify(content))
    ;(await openIdentity(file)).release()
  })
})

describe('the lock of an identity file', () => {
  test('refuses a second use in the same process, also under another name', async () => {
    const identity = await openIdentity(file)
    await expect(openIdentity(file)).rejects.toThrow(IdentityInUseError)
    symlinkSync(file, join(folder, 'alias.json'))
    await expect(openIdentity(join(folder, 'alias.json'))).rejects.toThrow('in use by another node')
    identity.release()
    const again = await openIdentity(file)
    again.release()
  })

  test('refuses another process, and ends as soon as its holder is killed', async () => {
    await generateIdentity(file)
    const child = await holder(file)
    const error: unknown = await openIdentity(file).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(IdentityInUseError)
    expect((error as Error).message).toBe(`identity file ${file} is in use by another node`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const identity = await openIdentity(file)
    identity.release()
  })

  test('ends likewise if the machine has another name meanwhile, as a container has', async () => {
    await generateIdentity(file)
    const child = await holder(file, `os.hostname = () => 'elsewhere'`)
    await expect(openIdentity(file)).rejects.toThrow(IdentityInUseError)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const identity = await openIdentity(file)
    identity.release()
  })

  test('can be taken again and again', async () => {
    for (let count = 0; count < 20; count += 1) (await openIdentity(file)).release()
    expect(statSync(`${file}.lock`).size).toBe(0)
  })

  test('names its file where that is something else', async () => {
    await generateIdentity(file)
    writeFileSync(`${file}.lock`, 'garbage that is no lock of ours'.repeat(100))
    await expect(openIdentity(file)).rejects.toThrow(/identity\.json\.lock: file is not a database/u)
  })
})
