/**
 * @libp2p/mdns, in a module of its own. It depends on CommonJS that loads Node's modules by
 *   `require`. esbuild can't put that into an ES module. In the published package this file
 *   contains all of it as an ES module (scripts/inline-mdns.ts).
 */
export { mdns, type MulticastDNSComponents } from '@libp2p/mdns'
