/**
 * Packs every package as it would be published and lints the tarballs: what a user installs, not what lies in the folder.
 * Needs a build first.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const run = promisify(execFile)

interface WorkspacePackage {
  readonly name?: string
  readonly path: string
  readonly private?: boolean
}

/** Messages about one package; empty when it may be published. */
async function problems(directory: string, into: string): Promise<string[]> {
  const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', into], { cwd: directory })
  const { filename, files } = JSON.parse(stdout) as { filename: string; files: { path: string }[] }
  const tarball = await readFile(filename)
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true })
  const tests = files.filter(({ path }) => /\.test\.|(^|\/)test\//.test(path)).map(({ path }) => `contains the test ${path}`)
  const sources = JSON.stringify((pkg as Record<string, unknown>)['exports'] ?? {}).includes('src/') ? ['exports its sources'] : []
  return [...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code), ...tests, ...sources]
}

const { stdout } = await run('pnpm', ['list', '--recursive', '--depth', '-1', '--json'])
const packages = (JSON.parse(stdout) as WorkspacePackage[]).filter((each) => each.private !== true)
const scratch = await mkdtemp(join(tmpdir(), 'jel-publish-'))
try {
  for (const { name, path } of packages) {
    const found = await problems(path, scratch)
    console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name ?? path}`)
    for (const problem of found) console.log(`     ${problem}`)
    if (found.length > 0) process.exitCode = 1
  }
} finally {
  await rm(scratch, { recursive: true })
}
