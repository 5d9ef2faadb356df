import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { generateWire, wire } from './generate-wire.ts'

it('the generated code matches messages.proto', () => {
  for (const [name, text] of generateWire())
    expect(readFileSync(join(wire, name), 'utf8') === text, `${name} is stale: pnpm generate`).toBe(true)
})
