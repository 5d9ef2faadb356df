import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { script } from './jel-process.ts'

let cache: string
let folder: string

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'jel-compiled-'))
  folder = join(cache, 'jel/compiled')
})

afterEach(() => rmSync(cache, { recursive: true }))

function version(home = cache): string {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  return execFileSync(process.execPath, [script, '--version'], { env: { ...env, XDG_CACHE_HOME: home }, encoding: 'utf8' }).trim()
}

describe('compiled code', () => {
  it('is kept in a folder of the user alone', () => {
    expect(version()).toMatch(/^\d/)
    expect(readdirSync(folder)).not.toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(version()).toMatch(/^\d/)
  })

  it('is not looked for where others can write, as they could plant code there', () => {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
    expect(version()).toMatch(/^\d/)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is not kept where a folder cannot be made, and nothing else fails', () => {
    const file = join(cache, 'file')
    writeFileSync(file, '')
    expect(version(file)).toMatch(/^\d/)
    expect(existsSync(folder)).toBe(false)
  })
})
