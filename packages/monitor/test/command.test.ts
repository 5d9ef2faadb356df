import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Attributes } from '../src/shell/attributes.ts'

let folder = ''
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'jel-monitor-'))))
afterEach(async () => await rm(folder, { recursive: true }))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('an attribute with a command', () => {
  it.each([
    ['echo 42', 42],
    ['echo hello', 'hello'],
    ['echo true', true],
    ['echo "[1, 2]"', [1, 2]],
    [`printf '{"a":1}'`, '{"a":1}'],
  ])('reads the output of %s', async (command, value) => {
    const attributes = new Attributes()
    attributes.define('a', { command })
    expect((await attributes.read('a')).value).toEqual(value)
  })

  it.each([
    ['exit 3', 'status 3'],
    ['echo no disk >&2; exit 1', 'no disk'],
    ['kill -9 $$', 'SIGKILL'],
    ['yes', 'prints too much'],
  ])('states why %s failed', async (command, why) => {
    const attributes = new Attributes()
    attributes.define('a', { command })
    const { problem } = await attributes.read('a')
    expect(problem?.code).toBe('SENSOR_FAILED')
    expect(problem?.message).toContain(why)
  })

  it('kills all processes of a command that a reader cancels', async () => {
    const attributes = new Attributes()
    const file = join(folder, 'pid')
    attributes.define('hangs', { command: `sleep 100 & echo $! > ${file}; wait` })
    const { problem } = await attributes.read('hangs', { timeout: 1000, cancel: true })
    expect(problem?.code).toBe('NO_ANSWER')
    const pid = Number(await readFile(file, 'utf8'))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})
