/** Each version of Node runs this in turn. Prints the version and the trace hashes as JSON. */
import { traceHashes } from './histories.ts'

console.log(JSON.stringify({ version: process.versions.node, hashes: traceHashes() }))
