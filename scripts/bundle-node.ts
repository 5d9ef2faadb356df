/**
 * Bundles the command line into one file, apps/node/dist/jel.js, together with the licences of what is in it and a list of the
 * sources it was made from, by which apps/node/bin/start.js sees whether it is up to date.
 *
 * `--if-stale` does nothing when it is, and fails for nothing: the command line runs from its sources then.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

type Input = readonly [path: string, size: number, changed: number]

const root = resolve(import.meta.dirname, '..')
const node = join(root, 'apps/node')
const bundle = join(node, 'dist/jel.js')
const inputList = join(node, 'dist/jel.inputs.json')
const licenceList = join(node, 'dist/LICENSES.txt')

if (!process.argv.includes('--if-stale')) await build()
else if (!isFresh()) await build().catch((error: unknown) => console.warn('apps/node was not bundled, it runs from its sources:', error))

async function build(): Promise<void> {
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ input: join(node, 'src/main.ts'), platform: 'node', logLevel: 'warn' })
  const { output } = await build.generate({
    format: 'esm',
    codeSplitting: false,
    // Error names come from class names. Lines stay short: a stack trace quotes the one that threw.
    keepNames: true,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
  })
  await build.close()
  const [chunk] = output
  const modules = chunk.moduleIds.filter((id) => !id.startsWith('\0')).map((id) => id.replace(/\?.*$/u, ''))
  const sources = modules.filter((id) => !id.includes(`${sep}node_modules${sep}`))
  const inputs = [join(root, 'pnpm-lock.yaml'), ...sources].map(describe)
  mkdirSync(dirname(bundle), { recursive: true })
  replace(licenceList, licences(modules))
  replace(bundle, ascii(chunk.code))
  replace(inputList, `${JSON.stringify(inputs)}\n`)
}

/**
 * Escapes everything beyond ASCII: with a single such character V8 keeps the whole source at two bytes a character. Measured: 2 MB a
 * process.
 */
function ascii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Whoever starts the bundle meanwhile finds the old file or the new one, never half of it. */
function replace(file: string, content: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, content)
  renameSync(temporary, file)
}

function describe(file: string): Input {
  const { size, mtimeMs } = statSync(file)
  return [relative(root, file).replaceAll(sep, '/'), size, mtimeMs]
}

function isFresh(): boolean {
  try {
    statSync(bundle)
    const inputs = JSON.parse(readFileSync(inputList, 'utf8')) as Input[]
    return inputs.every((input) => JSON.stringify(describe(join(root, input[0]))) === JSON.stringify(input))
  } catch {
    return false
  }
}

/** The licence texts of all packages that modules came from. */
function licences(modules: readonly string[]): string {
  const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))
  return [...folders]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
      const files = readdirSync(folder).filter((file) => /^licen[cs]e/iu.test(file))
      return [`${name} ${version} (${license})`, ...files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())].join(
        '\n\n',
      )
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')
}

function packageFolder(module: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/u.exec(module)?.[0]
}
