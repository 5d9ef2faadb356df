/**
 * Bundles @libp2p/mdns and its CommonJS dependencies into an ES module that imports the modules of
 * Node: packages/overlay/dist/host/libp2p-mdns.js. Writes the licences. Without this bundle, an
 * application that esbuild bundles into one file can't use mDNS.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { esmExternalRequirePlugin } from 'rolldown/plugins'
import { licences } from './licences.ts'

const overlay = resolve(import.meta.dirname, '../packages/overlay')
const file = join(overlay, 'dist/host/libp2p-mdns.js')
const { dependencies } = JSON.parse(readFileSync(join(overlay, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
const others = Object.keys(dependencies).filter((name) => name !== '@libp2p/mdns')
const builtins = builtinModules.flatMap((name) => [name, `node:${name}`])

const build = await rolldown({
  input: file,
  platform: 'node',
  external: others.map((name) => new RegExp(`^${name}(/|$)`, 'u')),
  plugins: [esmExternalRequirePlugin({ external: builtins })],
})
const { output } = await build.generate({ format: 'esm', keepNames: true })
await build.close()
const [{ code, moduleIds }] = output
writeFileSync(file, code)
writeFileSync(join(overlay, 'dist/LICENSES.txt'), licences(moduleIds))
