import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { controlPath, controlPaths, listenPrivately, socketProblem } from './local-sockets.ts'

/** A user id without an entry in the list of users. */
const STRANGER = 54_321
const isRoot = process.getuid?.() === 0
const servers = new Set<ReturnType<typeof createServer>>()
let [temporary, folder] = ['', '']

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'jel-'))
  folder = join(temporary, `jel-${process.getuid?.()}`)
  vi.stubEnv('TMPDIR', temporary)
  vi.stubEnv('XDG_RUNTIME_DIR', undefined)
})

afterEach(() => {
  for (const server of servers) server.close()
  servers.clear()
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true, force: true })
})

async function listen(path: string): Promise<void> {
  const server = createServer()
  servers.add(server)
  await listenPrivately(server, path)
}

it.skipIf(process.platform === 'win32')('a socket folder is made for this user alone, and mended if others could enter it', async () => {
  expect(controlPaths('p')).toEqual([])
  const path = controlPath('p', 'some-member')
  await listen(path)
  expect(controlPaths('p')).toMatchObject([{ path }])
  expect(socketProblem(path)).toBeUndefined()
  chmodSync(folder, 0o755)
  expect(() => controlPaths('p')).toThrow(`${folder}, the folder for control sockets, can be entered by others (mode 0755)`)
  await listen(controlPath('p', 'other-member'))
  expect(controlPaths('p')).toHaveLength(2)
})

it.runIf(isRoot)('a folder that another user made first is used neither to listen nor to connect', async () => {
  mkdirSync(folder, { mode: 0o700 })
  chownSync(folder, STRANGER, STRANGER)
  expect(() => controlPaths('p')).toThrow(
    `${folder}, the folder for control sockets, belongs to another user: remove it, or set XDG_RUNTIME_DIR`,
  )
  await expect(listen(controlPath('p', 'some-member'))).rejects.toThrow('belongs to another user')
  expect(readdirSync(folder)).toEqual([])
})

it.skipIf(process.platform === 'win32')('a link to another folder, or a file, is not used as the folder either', async () => {
  const elsewhere = join(temporary, 'elsewhere')
  mkdirSync(elsewhere, { mode: 0o700 })
  symlinkSync(elsewhere, folder)
  expect(() => controlPaths('p')).toThrow('is not a folder')
  await expect(listen(controlPath('p', 'some-member'))).rejects.toThrow('is not a folder')
  expect(readdirSync(elsewhere)).toEqual([])
})

it.skipIf(process.platform === 'win32')('a file is no socket', () => {
  const file = join(temporary, 'file')
  expect(socketProblem(file)).toBeUndefined()
  writeFileSync(file, 'precious')
  expect(socketProblem(file)).toBe('it is not a socket')
})

it.runIf(isRoot)('a user without an entry has sockets too, and connects to those of no other user', async () => {
  chmodSync(temporary, 0o1777)
  const others = join(temporary, 'others.sock')
  await listen(others)
  chownSync(others, 65_534, 65_534)
  const code = `
    const { controlPath, socketProblem } = await import(${JSON.stringify(join(import.meta.dirname, 'local-sockets.ts'))})
    process.setgid(${STRANGER})
    process.setuid(${STRANGER})
    console.log(JSON.stringify([controlPath('p', 'some-member'), socketProblem(${JSON.stringify(others)})]))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual([expect.stringContaining(`jel-${STRANGER}/`), 'it belongs to another user'])
})
