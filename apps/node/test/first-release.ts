import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'jel-0.1.0-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * The command line of the first release, ready to be started by Node. fixtures/README.md states its
 * origin.
 */
export const firstRelease = join(folder, 'start.mjs')

writeFileSync(join(folder, 'jel.mjs'), brotliDecompressSync(readFileSync(join(import.meta.dirname, 'fixtures/jel-0.1.0.js.br'))))
writeFileSync(firstRelease, "import { main } from './jel.mjs'\nawait main(process.argv.slice(2), import.meta.filename, '0.1.0')\n")
