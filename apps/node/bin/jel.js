#!/usr/bin/env node
// Plain JavaScript that an old Node can parse, so that it can report the required version.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`jel: Node 22.18 or newer is needed; this is Node ${process.versions.node}\n`)
  process.exit(1)
}
await import('./start.js')
