/**
 * Runs all histories on the Node that runs this file. Prints its version and the trace hashes as
 * JSON.
 */
import { traceHashes } from './histories.ts'

console.log(JSON.stringify({ version: process.versions.node, hashes: traceHashes() }))
