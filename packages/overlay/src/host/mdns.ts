/**
 * @libp2p/mdns, by itself: beneath it is CommonJS that asks for Node's modules by `require`, which esbuild can't put into an ES module. As published
 * this file has it all inside, as an ES module (scripts/inline-mdns.ts).
 */
export { mdns, type MulticastDNSComponents } from '@libp2p/mdns'
