/** The addresses at which browsers find the page, from those of a member. */
export function pagesOf(addresses: readonly string[], pool: string): string[] {
  return addresses.flatMap((address) => {
    const [, kind, host, port, tls] = /^\/(ip4|ip6|dns4?|dns6)\/([^/]+)\/tcp\/(\d+)(\/tls)?\/ws/u.exec(address) ?? []
    if (host === undefined || port === undefined) return []
    return [`http${tls === undefined ? '' : 's'}://${kind === 'ip6' ? `[${host}]` : host}:${port}/#${encodeURIComponent(pool)}`]
  })
}
