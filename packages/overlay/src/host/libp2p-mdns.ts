/**
 * A module for `@libp2p/mdns` alone. That package depends on CommonJS modules, which load Node's
 * modules by `require`. esbuild can't put those into an ES module. In the published package this
 * file contains all of `@libp2p/mdns` as an ES module (scripts/inline-mdns.ts).
 */
export { mdns, type MulticastDNSComponents } from '@libp2p/mdns'
