/**
 * Generates the wire format's code, messages.js and messages.d.ts, from messages.proto (`pnpm
 * generate`). A test compares the committed files with the output.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const protocol = join(root, 'packages/protocol')
const banner = '// Generated from messages.proto by `pnpm generate`. Changes belong there.\n'

/** The folder of the generated code. */
export const wire = join(protocol, 'src/wire')

/** Returns the generated files by name. */
export function generateWire(): ReadonlyMap<string, string> {
  // The folder is below the package, so that the imports of the code resolve.
  const folder = mkdtempSync(join(protocol, 'node_modules/.wire-'))
  const run = (command: string, ...args: readonly string[]): void =>
    void execFileSync(join(command, args[0] as string), args.slice(1), { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    copyFileSync(join(wire, 'messages.proto'), join(folder, 'messages.proto'))
    run(join(protocol, 'node_modules/.bin'), 'protons', 'messages.proto')
    const options =
      '--ignoreConfig --target ES2024 --module NodeNext --moduleResolution NodeNext --declaration --skipLibCheck --strict false'
    run(join(root, 'node_modules/.bin'), 'tsc', 'messages.ts', ...options.split(' '))
    return new Map(['messages.js', 'messages.d.ts'].map((name) => [name, banner + readFileSync(join(folder, name), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename) for (const [name, text] of generateWire()) writeFileSync(join(wire, name), text)
