/**
 * The page that makes a tab a member, at the port of `--web`. It shows the pool as the tab itself
 * sees it. It shows nothing else of this node: no metrics, no memory, no events.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { RolldownOptions } from 'rolldown'

const HEADERS: Readonly<Record<string, string>> = {
  // A tab dials members at any address. The code of its worker comes from this port.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws: wss:; frame-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
}

/**
 * Programs of others run in this document. It has an origin of its own and no network, and its
 * workers inherit that.
 */
const FRAME_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  'x-frame-options': 'SAMEORIGIN',
}

const TYPES = {
  '/': 'text/html; charset=utf-8',
  '/page.css': 'text/css; charset=utf-8',
  '/icon.svg': 'image/svg+xml',
  '/main.js': 'text/javascript; charset=utf-8',
  '/member.js': 'text/javascript; charset=utf-8',
  '/volunteer.js': 'text/javascript; charset=utf-8',
  '/frame.html': 'text/html; charset=utf-8',
} as const
type Path = keyof typeof TYPES

const zip = promisify(gzip)
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

interface File {
  readonly plain: Buffer
  readonly zipped: Buffer
}

export class Site {
  /** The files so far. The first request of a file reads it, or bundles it. */
  readonly #files = new Map<Path, Promise<File>>()

  readonly serve = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => {})
    void this.#answer(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else say(response, 500, 'the page could not be made')
    })
  }

  async #answer({ method, url = '/', headers, socket }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '/'] = url.split('?', 1)
    const special = path === '/frame.html' ? FRAME_HEADERS : {}
    for (const [name, value] of Object.entries({ ...HEADERS, ...special })) response.setHeader(name, value)
    // A browser takes this header over TLS only, and complains otherwise.
    if ('encrypted' in socket) response.setHeader('cross-origin-opener-policy', 'same-origin')
    if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      say(response, 405, 'there is only GET and HEAD')
    } else if (!Object.hasOwn(TYPES, path)) say(response, 404, 'there is nothing here')
    else {
      const { plain, zipped } = await this.#file(path as Path)
      const takesZipped = /\bgzip\b/u.test(headers['accept-encoding']?.toString() ?? '')
      const body = takesZipped ? zipped : plain
      response.writeHead(200, {
        'content-type': TYPES[path as Path],
        ...(takesZipped && { 'content-encoding': 'gzip' }),
        'content-length': body.length,
        vary: 'accept-encoding',
      })
      response.end(method === 'HEAD' ? undefined : body)
    }
  }

  async #file(path: Path): Promise<File> {
    let file = this.#files.get(path)
    if (file === undefined) {
      file = read(path).then(async (text) => ({ plain: Buffer.from(text), zipped: await zip(text) }))
      this.#files.set(path, file)
      file.catch(() => this.#files.delete(path))
    }
    return await file
  }
}

async function read(path: Path): Promise<string> {
  if (path === '/frame.html') {
    const built = here('web/frame.html')
    if (existsSync(built)) return readFileSync(built, 'utf8')
    const { frameDocument } = await builder()
    return frameDocument(await bundle('program'), await bundle('frame'))
  }
  if (path.endsWith('.js')) {
    const built = here(`web${path}`)
    return existsSync(built) ? readFileSync(built, 'utf8') : await bundle(path.slice(1, -'.js'.length))
  }
  const inBundle = here(`static/${path === '/' ? 'index.html' : path.slice(1)}`)
  const text = readFileSync(existsSync(inBundle) ? inBundle : here(`../http/static/${path === '/' ? 'index.html' : path.slice(1)}`), 'utf8')
  return path === '/' ? text.replace('page.js', 'main.js') : text
}

interface WebBundle {
  readonly name: string
  readonly format: 'es' | 'iife'
  readonly build: RolldownOptions
}

interface Builder {
  readonly webBundles: readonly WebBundle[]
  readonly frameDocument: (program: string, frame: string) => string
}

async function builder(): Promise<Builder> {
  return (await import(new URL('../../../web/src/build.ts', import.meta.url).href)) as Builder
}

/** In a checkout the scripts are bundled at the first request. */
async function bundle(name: string): Promise<string> {
  const [{ rolldown }, { webBundles }] = await Promise.all([import('rolldown'), builder()])
  const found = webBundles.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no script ${name}`)
  const made = await rolldown({ ...found.build, logLevel: 'silent' })
  const { output } = await made.generate({ format: found.format, minify: true, codeSplitting: false })
  await made.close()
  return output[0].code
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}
