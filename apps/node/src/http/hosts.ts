/** Returns whether only this machine can reach an address. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./u.test(address)
}

/**
 * Returns whether a `Host` header names this machine itself, at any port: a tunnel may have another
 * port.
 */
export function isOwnHost(header: string): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/u.exec(header.toLowerCase()) ?? []
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(name)
}

/**
 * Returns whether a browser says that a page of another site sends the request. Clients that are no
 * browsers send no `Sec-Fetch-Site` header.
 */
export function isForeignSite(header: string | string[] | undefined): boolean {
  return header !== undefined && header !== 'same-origin' && header !== 'none'
}
