/** Bundles a module for a browser, and finds imports of Node and the size. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { rolldown, type OutputChunk, type RolldownBuild } from 'rolldown'
import { root } from './workspace.ts'

export interface BrowserBundle {
  /** Modules of Node that the bundle would import. */
  readonly nodeImports: readonly string[]
  /** Lines of this repository's modules in the bundle that use what only Node has. */
  readonly nodeOnly: readonly string[]
  /** Bytes that a page loads at its start, minified and compressed. */
  readonly gzip: number
  /** The code as a page loads it, with the chunks that it loads later. */
  readonly chunks: readonly string[]
}

export async function bundleForBrowser(entry = `${root}/packages/jel/src/index.ts`): Promise<BrowserBundle> {
  const nodeImports = new Set<string>()
  const bundle = await bundleOf(entry, nodeImports)
  const { output } = await bundle.generate({ format: 'es', minify: true })
  const chunks = output.filter((each) => each.type === 'chunk')
  const ours = chunks.flatMap(({ modules }) => Object.keys(modules)).filter((file) => /\/(?:packages|apps)\/[\w-]+\/src\//u.test(file))
  const nodeOnly = ours.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(
        (line) =>
          /\.(?:unref|refresh|hasRef)\(|\b(?:setImmediate|Buffer|process)[.(]/u.test(line) && !/^\s*(?:\/?\*|\/\/)|typeof/u.test(line),
      )
      .map((line) => `${file.replace(/^.*\/(?=packages\/|apps\/)/u, '')}: ${line.trim()}`),
  )
  const gzip = gzipSync(loadedAtStart(chunks), { level: 9 }).length
  return { nodeImports: [...nodeImports], nodeOnly, gzip, chunks: chunks.map((chunk) => chunk.code) }
}

/** Returns the code of a module and of all that it imports, in one file. */
export async function fileForBrowser(entry: string): Promise<string> {
  const bundle = await bundleOf(entry, new Set())
  const { output } = await bundle.generate({ format: 'es', minify: true, codeSplitting: false })
  return output[0].code
}

/** Prepares a bundle. Adds the modules of Node that it would import to a set. */
async function bundleOf(entry: string, nodeImports: Set<string>): Promise<RolldownBuild> {
  return await rolldown({
    input: entry,
    platform: 'browser',
    logLevel: 'silent',
    resolve: { conditionNames: ['browser', 'import', 'module', 'default'] },
    plugins: [
      {
        name: 'node-imports',
        resolveId: {
          filter: { id: /^node:/u },
          handler(id, importer) {
            nodeImports.add(`${id} in ${importer?.replace(/^.*\/(?=packages\/|node_modules\/)/u, '') ?? ''}`)
            return { id, external: true }
          },
        },
      },
    ],
  })
}

/** The code of the entry, and of all that it imports without a call of `import()`. */
function loadedAtStart(chunks: readonly OutputChunk[]): string {
  const loaded = new Set(chunks.filter((chunk) => chunk.isEntry))
  for (const { imports } of loaded) for (const chunk of chunks.filter((each) => imports.includes(each.fileName))) loaded.add(chunk)
  return [...loaded].map(({ code }) => code).join('\n')
}
