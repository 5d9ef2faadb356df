/**
 * `pnpm release --dry-run`: runs all steps before publication. Builds, packs into release/, checks,
 * and prints the packages to publish.
 * It does not publish. The forge's CI runner publishes with provenance: it signs a statement of the
 * place where it has built a package.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { packAll, type Packed } from './packed.ts'
import { root } from './workspace.ts'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
if (!values['dry-run']) {
  console.error('release: this publishes nothing; with --dry-run it builds, packs, checks, and prints what would be published')
  process.exit(2)
}

const folder = join(root, 'release')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
execFileSync('pnpm', ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

const packed: Packed[] = []
for await (const each of packAll(folder)) packed.push(each)
const problems = packed.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
for (const problem of problems) console.error(`release: ${problem}`)
if (problems.length > 0) process.exit(1)

for (const { name, version, bytes, files, integrity } of packed)
  console.log(`${name}@${version}  ${files} files, ${(bytes / 1e3).toFixed(0)} kB\n  ${integrity}`)
console.log('\nNothing was published. What would be:')
for (const { tarball } of packed) console.log(`  npm publish --provenance --access public ${relative(root, tarball)}`)
