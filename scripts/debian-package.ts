/**
 * `pnpm deb`: builds release/jel_<version>_<architecture>.deb from the content of the package
 * @jel/node. It adds rolldown for this machine's architecture, the man page, completion for three
 * shells and the systemd unit.
 * Needs dpkg-deb, and a build first. The package needs nodejs 22.18 or later. NodeSource has it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { commandLine } from '../apps/node/src/command-line.ts'
import { completionOf } from '../apps/node/src/reference/completion.ts'
import { manifestOf, repositoryAddress, root } from './workspace.ts'

const node = join(root, 'apps/node')
const { version, description, license } = manifestOf('apps/node')
/** Debian sorts `1.0.0~rc.1` before `1.0.0`. Semver sorts `1.0.0-rc.1` before `1.0.0`. */
const debianVersion = version.replace('-', '~')

const staging = mkdtempSync(join(tmpdir(), 'jel-deb-'))
try {
  console.log(build(staging))
} finally {
  rmSync(staging, { recursive: true })
}

function build(staging: string): string {
  // Only its owner has access to a folder of mkdtemp. So that folder must not be the root of the
  // package.
  const tree = join(staging, 'tree')
  const library = join(tree, 'usr/lib/jel')
  for (const part of ['bin', 'dist', 'package.json', 'README.md'])
    cpSync(join(node, part), join(library, part), { recursive: true, filter: (path) => !path.endsWith('.inputs.json') })
  for (const folder of closure(node))
    cpSync(folder, join(library, 'node_modules', nameOf(folder)), {
      recursive: true,
      filter: (path) => !path.slice(folder.length).includes('node_modules'),
    })
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  symlinkSync('../lib/jel/bin/jel.js', join(tree, 'usr/bin/jel'))

  const program = commandLine('', version, () => {})
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'usr/share/bash-completion/completions/jel': completionOf(program, 'bash'),
    'usr/share/zsh/vendor-completions/_jel': completionOf(program, 'zsh'),
    'usr/share/fish/vendor_completions.d/jel.fish': completionOf(program, 'fish'),
    'usr/share/man/man1/jel.1.gz': gzipSync(readFileSync(join(node, 'dist/jel.1')), { level: 9 }),
    'usr/share/doc/jel/changelog.gz': gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }),
    'usr/share/doc/jel/copyright': `${readFileSync(join(root, 'LICENSE'), 'utf8')}\nLicences of what is bundled: /usr/lib/jel/dist/LICENSES.txt\n`,
    'usr/lib/systemd/system/jel@.service': readFileSync(join(root, 'packaging/jel@.service')),
    'DEBIAN/control': control(library),
    'DEBIAN/postinst': `#!/bin/sh
set -e
# The user of jel@.service, and the folder of its keys.
getent passwd jel > /dev/null || useradd --system --user-group --home-dir /var/lib/jel --no-create-home --shell /usr/sbin/nologin jel
install --directory --owner root --group jel --mode 0750 /etc/jel
`,
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), content, { mode: path.endsWith('postinst') ? 0o755 : 0o644 })
  }

  const out = join(root, 'release')
  mkdirSync(out, { recursive: true })
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, out], { stdio: ['ignore', 'ignore', 'inherit'] })
  return join(out, `jel_${debianVersion}_${architecture()}.deb`)
}

function control(library: string): string {
  const [, needed = ''] = /^>=(\S+)$/u.exec(manifestOf('apps/node').engines?.node ?? '') ?? []
  const size = execFileSync('du', ['--summarize', '--block-size=1K', library], { encoding: 'utf8' }).split('\t')[0]
  return `Package: jel
Version: ${debianVersion}
Architecture: ${architecture()}
Maintainer: jel <${repositoryAddress()}>
Installed-Size: ${size}
Depends: nodejs (>= ${needed})
Section: net
Priority: optional
Homepage: ${repositoryAddress()}
Description: ${description}
 Pools of peers with no one in charge: membership, failure detection, elections,
 and jobs that outlive every member. Licence: ${license}.
`
}

function architecture(): string {
  return execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()
}

/**
 * Returns the folders of all installed dependencies of a package. The installation lacks
 * dependencies for other architectures.
 */
function closure(folder: string, found = new Set<string>()): Set<string> {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >
  for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
    const target = installed(folder, name)
    if (target === undefined) {
      if (name in dependencies && !(name in optionalDependencies)) throw new Error(`${name} is not installed: pnpm install`)
      continue
    }
    if (found.has(target)) continue
    found.add(target)
    closure(target, found)
  }
  return found
}

function installed(folder: string, name: string): string | undefined {
  // pnpm puts the dependencies of a package beside the package. The dependencies of a package of
  // the workspace are below that package.
  for (let at = realpathSync(folder); at !== dirname(at); at = dirname(at)) {
    const modules = at.endsWith('node_modules') ? at : join(at, 'node_modules')
    try {
      if (readdirSync(join(modules, name)).includes('package.json')) return realpathSync(join(modules, name))
    } catch {
      continue
    }
  }
  return undefined
}

function nameOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string }).name
}
