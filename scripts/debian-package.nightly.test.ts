import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifestOf, root } from './workspace.ts'

const exec = promisify(execFile)
const { version } = manifestOf('apps/node')

describe.skipIf(spawnSync('dpkg-deb', ['--version']).status !== 0)('the Debian package (needs dpkg-deb)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-deb-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  // The Node of this test replaces the package's dependency. In this folder commands find nothing
  // of the checkout.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, XDG_RUNTIME_DIR: folder }
  const jel = async (...args: string[]): Promise<string> =>
    (await exec(join(folder, 'usr/bin/jel'), args, { cwd: folder, env, timeout: 90_000 })).stdout
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  let file = ''

  beforeAll(async () => {
    await exec(process.execPath, ['scripts/bundle-node.ts', '--if-stale'], { cwd: root })
    await exec(process.execPath, ['scripts/man-page.ts'], { cwd: root })
    file = (await exec(process.execPath, ['scripts/debian-package.ts'], { cwd: root })).stdout.trim()
    await exec('dpkg-deb', ['--extract', file, folder])
  }, 180_000)

  it('has its version, and depends on a Node that is new enough', async () => {
    const { stdout } = await exec('dpkg-deb', ['--field', file, 'Package', 'Version', 'Depends'])
    expect(stdout).toBe(`Package: jel\nVersion: ${version}\nDepends: nodejs (>= 22.18)\n`)
  })

  it('belongs to root, and others may read all of it', async () => {
    const { stdout } = await exec('dpkg-deb', ['--contents', file], { maxBuffer: 2 ** 24 })
    const lines = stdout.trim().split('\n')
    expect(lines.length).toBeGreaterThan(20)
    expect(lines.filter((line) => !/^(?:-r..r..r..|drwxr-xr-x|lrwxrwxrwx) root\/root /u.test(line))).toEqual([])
  })

  it('has the man page, completion for three shells and the unit', () => {
    expect(gunzipSync(readFileSync(join(folder, 'usr/share/man/man1/jel.1.gz'))).toString()).toContain('.TH JEL 1')
    expect(read('usr/share/bash-completion/completions/jel')).toContain('complete -F _jel jel')
    expect(read('usr/share/zsh/vendor-completions/_jel')).toMatch(/^#compdef jel\n/u)
    expect(read('usr/share/fish/vendor_completions.d/jel.fish')).toContain('complete -c jel')
    expect(read('usr/lib/systemd/system/jel@.service')).toContain('ExecStart=/usr/bin/jel join')
    expect(existsSync(join(folder, 'usr/share/doc/jel/copyright'))).toBe(true)
  })

  it('runs nodes', async () => {
    expect(await jel('--version')).toBe(`${version}\n`)
    expect(await jel('demo', '--nodes', '4')).toContain('All of it happened')
  })

  it('computes, with the bundler that it contains', async () => {
    expect(await jel('demo', 'compute')).toContain('All of it happened')
  })

  it('simulates', async () => {
    expect(await jel('simulate', 'flash-crowd', '--set', 'nodes=6', '--seeds', '1')).toContain('ok')
  })
})
