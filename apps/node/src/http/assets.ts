import { existsSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'

export interface Asset {
  readonly type: string
  readonly plain: Buffer
  readonly zipped: Buffer
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const here = (path: string): URL => new URL(path, import.meta.url)

/** The files of the page. Each is read at its first request. */
export class Assets {
  readonly #known = new Map<string, Asset>()

  /** Returns the file for the path of a request. */
  find(path: string): Asset | undefined {
    const name = path === '/' ? 'index.html' : (/^\/((?:(?:events|model)\/)?[a-z-]+\.(?:css|svg|js|ts))$/u.exec(path)?.[1] ?? '')
    let asset = this.#known.get(name)
    if (asset !== undefined || name === '') return asset
    const text = textOf(name)
    if (text === undefined) return undefined
    asset = { type: TYPES[extname(name)] as string, plain: Buffer.from(text), zipped: gzipSync(text) }
    this.#known.set(name, asset)
    return asset
  }
}

/**
 * Returns the text of a file. In a bundle all scripts are one file, `page.js`. In a checkout each
 * module is a file, and loses its types here. The paths of modules outside of `page` begin with
 * `events` or `model`.
 */
function textOf(name: string): string | undefined {
  const isScript = name.endsWith('.js') || name.endsWith('.ts')
  const file = isScript ? here(name) : here(`static/${name}`)
  if (!isScript || name === 'page.js') {
    if (existsSync(file)) return readFileSync(file, 'utf8')
    if (!isScript) return undefined
  }
  const source = here(`${/^(?:events|model)\//u.test(name) ? '..' : 'page'}/${name.replace(/\.js$/u, '.ts')}`)
  return existsSync(source) ? stripTypeScriptTypes(readFileSync(source, 'utf8')) : undefined
}
