/** Run by each version of Node in turn: says its version, and what came of the histories, as JSON. */
import { traceHashes } from './histories.ts'

console.log(JSON.stringify({ version: process.versions.node, hashes: traceHashes() }))
