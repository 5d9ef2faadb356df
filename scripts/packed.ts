/**
 * Packs every package as for publication, and checks the tarballs. So the check covers the files
 * that a user installs, not the files in the folder.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { manifestOf, publishedFolders, root } from './workspace.ts'

const run = promisify(execFile)

export interface Packed {
  readonly name: string
  readonly version: string
  /** Path of the tarball. */
  readonly tarball: string
  readonly bytes: number
  readonly files: number
  /** The hash of the tarball in the form of npm's lock files. */
  readonly integrity: string
  /** Empty if the package may be published. */
  readonly problems: readonly string[]
}

/** Packs all packages. Needs a build first. The tarballs stay in the folder `into`. */
export async function* packAll(into: string): AsyncGenerator<Packed> {
  for (const folder of publishedFolders()) yield await pack(folder, into)
}

async function pack(folder: string, into: string): Promise<Packed> {
  const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', into], { cwd: join(root, folder) })
  const { filename: tarball, files } = JSON.parse(stdout) as { filename: string; files: { path: string }[] }
  const content = await readFile(tarball)
  const { messages, pkg } = await publint({ pack: { tarball: new Uint8Array(content).buffer }, strict: true })
  const paths = files.map(({ path }) => path)
  const { name, version } = manifestOf(folder)
  return {
    name,
    version,
    tarball,
    bytes: content.length,
    files: files.length,
    integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
    problems: [
      ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
      ...paths.filter((path) => /\.test\.|(^|\/)test\//u.test(path)).map((path) => `contains the test ${path}`),
      ...['README.md', 'LICENSE'].filter((file) => !paths.includes(file)).map((file) => `lacks ${file}`),
      ...(JSON.stringify((pkg as Record<string, unknown>)['exports'] ?? {}).includes('src/') ? ['exports its sources'] : []),
      ...Object.entries((pkg as { dependencies?: Record<string, string> }).dependencies ?? {})
        .filter(([, range]) => range.startsWith('workspace:'))
        .map(([dependency]) => `depends on ${dependency} of this workspace`),
    ],
  }
}
