/** Bundles `@jel/jel` for a browser, and finds imports of Node and the size. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { rolldown, type OutputChunk } from 'rolldown'
import { root } from './workspace.ts'

export interface BrowserBundle {
  /** Modules of Node that the bundle would import. */
  readonly nodeImports: readonly string[]
  /** Lines of this repository's modules in the bundle that use what only Node has. */
  readonly nodeOnly: readonly string[]
  /** Bytes, minified and compressed. */
  readonly gzip: number
  readonly code: string
}

export async function bundleForBrowser(entry = `${root}/packages/jel/src/index.ts`): Promise<BrowserBundle> {
  const nodeImports = new Set<string>()
  const bundle = await rolldown({
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
  const { output } = await bundle.generate({ format: 'es', minify: true, codeSplitting: false })
  const ours = output
    .flatMap((each) => ('modules' in each ? Object.keys(each.modules) : []))
    .filter((file) => /\/(?:packages|apps)\/[\w-]+\/src\//u.test(file))
  const nodeOnly = ours.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(
        (line) =>
          /\.(?:unref|refresh|hasRef)\(|\b(?:setImmediate|Buffer|process)[.(]/u.test(line) && !/^\s*(?:\/?\*|\/\/)|typeof/u.test(line),
      )
      .map((line) => `${file.replace(/^.*\/(?=packages\/|apps\/)/u, '')}: ${line.trim()}`),
  )
  const code = output.map((each) => (each as OutputChunk).code ?? '').join('\n')
  return { nodeImports: [...nodeImports], nodeOnly, gzip: gzipSync(code, { level: 9 }).length, code }
}
