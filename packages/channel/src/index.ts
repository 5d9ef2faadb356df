/**
 * Messages between members of a pool, over streams that break and are opened again.
 *
 * @packageDocumentation
 */
export { Channels, isUnsupported, type ChannelOptions } from './channels.ts'
export { PeerLimits, type Admission, type PeerBounds } from './peer-limits.ts'
export { fromJson, toJson } from './json.ts'
export { askOnce, serveOnce, type AskOptions, type ServeOptions } from './questions.ts'
