import { readFileSync } from 'node:fs'
import type { WebPort } from '@jel/jel'
import { messageOf, UsageError } from '../base/usage-error.ts'
import { Site } from './site.ts'

/** The flags of a port for browsers. */
export interface WebFlags {
  readonly web?: { readonly host: string; readonly port: number }
  readonly webOrigin?: readonly string[]
  /** Files in PEM. */
  readonly webCert?: string
  readonly webKey?: string
}

/** Returns the port for browsers that the flags ask for. */
export function webOptions({ web, webOrigin = [], webCert, webKey }: WebFlags): WebPort | undefined {
  if (web === undefined) {
    if (webOrigin.length > 0 || webCert !== undefined || webKey !== undefined)
      throw new UsageError('--web-origin, --web-cert and --web-key belong to --web: give the address at which browsers come in')
    return undefined
  }
  if ((webCert === undefined) !== (webKey === undefined)) throw new UsageError('--web-cert and --web-key belong together: give both')
  for (const origin of webOrigin) checkOrigin(origin)
  const { host, port } = web
  return {
    listen: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    origins: webOrigin,
    serve: new Site().serve,
    ...(webCert !== undefined && webKey !== undefined && { tls: { cert: read('--web-cert', webCert), key: read('--web-key', webKey) } }),
  }
}

function checkOrigin(origin: string): void {
  if (URL.parse(origin)?.origin !== origin)
    throw new UsageError(`--web-origin: ${JSON.stringify(origin)} is no origin; it is like https://pool.example.org, without a path`)
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${flag}: can't read ${file}: ${messageOf(error)}`)
  }
}
