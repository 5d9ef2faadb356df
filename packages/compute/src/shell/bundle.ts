import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProgramError } from '../errors.ts'

/** What programs import: as source, compiled, or beside a bundle that holds this module. */
const library = ['../program/index.ts', '../program/index.js', './program.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path)) as string

const ENTRY = 'jel:program'

/**
 * A program as one ES module, with all that it imports, the library included: `@jel/compute/program` need not be installed where the program lies.
 * @throws ProgramError
 */
export async function bundleProgram(file: string): Promise<Uint8Array> {
  const path = resolve(file)
  if (!existsSync(path)) throw new ProgramError(`there is no program ${file}`)
  const { rolldown } = await import('rolldown')
  const quoted = JSON.stringify(path)
  const entry = `export * from ${quoted}\nexport { sharedValues as sharedValues$ } from '@jel/compute/program'\n`
  try {
    const build = await rolldown({
      input: ENTRY,
      platform: 'node',
      logLevel: 'silent',
      // Comments with paths from where this process runs would make the same program another one elsewhere.
      experimental: { attachDebugInfo: 'none' },
      plugins: [
        {
          name: 'program',
          resolveId: (source) => (source === ENTRY ? ENTRY : source === '@jel/compute/program' ? library : undefined),
          load: (id) => (id === ENTRY ? entry : undefined),
        },
      ],
    })
    const { output } = await build.generate({ format: 'esm', codeSplitting: false, comments: false })
    await build.close()
    return new TextEncoder().encode(output[0].code)
  } catch (error) {
    throw new ProgramError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
