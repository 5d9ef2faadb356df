/** The fragment of the page's address: `#pool`, or `#pool&key=` and the 64 digits of the key. */

export interface Wanted {
  readonly pool: string
  /** The text of a key file. */
  readonly key?: string
}

/**
 * Returns undefined if the fragment names no pool. A browser does not send the fragment to the
 * server. But the script of the page reads it, and without TLS others on the network can change
 * that script.
 */
export function readFragment(fragment: string): Wanted | undefined {
  const [name = '', ...fields] = fragment.replace(/^#/u, '').split('&')
  const pool = decode(name)
  if (pool === '') return undefined
  const digits = fields.find((field) => field.startsWith('key='))?.slice('key='.length)
  return digits === undefined ? { pool } : { pool, key: keyText(digits) }
}

/**
 * Returns the text of a key file. `given`: the text of the file, or its digits alone, as a user
 * pastes it.
 */
export function keyText(given: string): string {
  // A field of one line turns the ends of lines into spaces.
  const digits = given.trim().split(/\s+/u).at(-1)
  return `/key/swarm/psk/1.0.0/\n/base16/\n${digits}\n`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the address of the member that served the page. */
export function servedBy({ protocol, hostname, port }: Pick<Location, 'protocol' | 'hostname' | 'port'>): string {
  const host = hostname.replace(/^\[|\]$/gu, '')
  const net = host.includes(':') ? 'ip6' : /^[\d.]+$/u.test(host) ? 'ip4' : 'dns'
  const isSecure = protocol === 'https:'
  return `/${net}/${host}/tcp/${port === '' ? (isSecure ? 443 : 80) : port}${isSecure ? '/tls' : ''}/ws`
}
