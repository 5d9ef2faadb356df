import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProgramError } from '../errors.ts'
import type { Command } from '../program/command.ts'
import { needsOf } from '../executors/program-needs.ts'
import { SWEEP } from '../program/map.ts'
import { LIBRARY, withMap } from '../executors/program-stack.ts'

/**
 * Returns the path of a module of the library that programs import. The module is a source, a
 * compiled file, or a file beside a bundle that contains this module.
 */
const moduleOf = (name: string, beside: string): string =>
  [`../program/${name}.ts`, `../program/${name}.js`, `./${beside}.js`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) as string

/** The modules of the library, by the names under which programs import them. */
const library: Readonly<Record<string, string>> = {
  '@jel/compute/program': moduleOf('index', 'program'),
  '@jel/compute/command': moduleOf('command', 'command'),
}

const ENTRY = 'jel:program'

/**
 * The first line of a program that may run only where its owner is trusted, and in which a package
 * uses `require`. Node has no such name in modules. A program for sandboxes does not get this line,
 * even if it asks whether the name exists. It must do the same everywhere, and a sandbox has no
 * such name.
 */
const WITH_REQUIRE = `if (globalThis.process !== undefined) globalThis.require ??= globalThis.process.getBuiltinModule('node:module').createRequire('/')
`

/** The name under which a bundled program exports the task of a command. */
const COMMAND = 'command'

/** Returns the name under which a bundled program exports the function of a sweep. */
export function sweptName(fn: string | undefined): string {
  return fn === undefined ? COMMAND : fn === 'default' ? 'swept' : fn
}

/**
 * Bundles a program and all its imports into one ES module. The module includes the library, so
 * `@jel/compute/program` need not be installed beside the program.
 *
 * @param swept adds the root of a sweep over this function to the exports
 * @throws ProgramError
 */
export async function bundleProgram(file: string, swept?: string): Promise<Uint8Array> {
  const path = resolve(file)
  if (!existsSync(path)) throw new ProgramError(`there is no program ${file}`)
  const quoted = JSON.stringify(path)
  const exported = `export * from ${quoted}\n${swept === undefined ? '' : sweepIn(quoted, swept)}`
  return await bundle(file, path, exported)
}

/** Returns a program that runs a command once for each input of a sweep. @throws ProgramError */
export async function bundleCommand(command: Command): Promise<Uint8Array> {
  const exported = `import { commandTask } from '@jel/compute/command'
import { sweepOf } from '@jel/compute/program'
const [swept$, root$] = sweepOf({ ${COMMAND}: commandTask(${JSON.stringify(command)}) }, '${COMMAND}')
export { swept$ as ${COMMAND}, root$ as ${SWEEP} }
`
  return await bundle('the command', resolve('command'), exported)
}

/** @param exported the code that exports the tasks; errors name `file` */
async function bundle(file: string, path: string, exported: string): Promise<Uint8Array> {
  const { rolldown } = await import('rolldown')
  const entry = `${exported}export { sharedValues as sharedValues$ } from '@jel/compute/program'\n`
  try {
    const build = await rolldown({
      input: ENTRY,
      platform: 'node',
      logLevel: 'silent',
      // Otherwise comments would contain paths relative to this process. Then the same program
      // would have another hash elsewhere.
      experimental: { attachDebugInfo: 'none' },
      plugins: [
        {
          name: 'program',
          resolveId: (source) => (source === ENTRY ? ENTRY : library[source]),
          load: (id) => (id === ENTRY ? entry : undefined),
        },
      ],
    })
    const folder = dirname(path)
    const { output } = await build.generate({
      format: 'esm',
      codeSplitting: false,
      comments: false,
      dir: folder,
      sourcemap: 'hidden',
      polyfillRequire: false,
    })
    await build.close()
    const [{ code, map }] = output
    if (map === null) throw new Error('the bundler made no source map')
    const first = /\brequire\b/u.test(code) && needsOf(code).needs.length > 0 ? WITH_REQUIRE : ''
    // The map of an added line is empty.
    const mappings = (first === '' ? '' : ';') + map.mappings
    const sources = map.sources.map((source) =>
      sourceName(
        source,
        resolve(folder, source) !== path && dirname(resolve(folder, source)) === dirname(library['@jel/compute/program'] as string),
      ),
    )
    return new TextEncoder().encode(withMap(first + code, { version: 3, sources, names: [], mappings }))
  } catch (error) {
    throw new ProgramError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/**
 * Returns the name of a source in stacks. It is relative to the program's folder, so it is the same
 * wherever this folder is.
 */
function sourceName(source: string, isLibrary: boolean): string {
  const name = source.startsWith('..') ? basename(source) : source
  return isLibrary ? LIBRARY + name : name
}

/** Returns the code that exports the tasks of a sweep. */
function sweepIn(program: string, fn: string): string {
  return `import * as program$ from ${program}
import { sweepOf } from '@jel/compute/program'
const [swept$, root$] = sweepOf(program$, ${JSON.stringify(fn)})
export { swept$ as ${JSON.stringify(sweptName(fn))}, root$ as ${SWEEP} }
`
}
