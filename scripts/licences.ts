/** Collects the licence texts of the packages that a bundle contains. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the licences of the packages that contain these modules. */
export function licences(modules: readonly string[]): string {
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
