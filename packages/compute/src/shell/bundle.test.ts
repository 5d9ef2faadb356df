import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { EOL, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ProgramStack } from '../executors/program-stack.ts'
import { bundleProgram } from './bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-bundle-'))

afterAll(() => rmSync(folder, { recursive: true }))

/** A program that imports another file, in a folder of its own. */
function programIn(...path: string[]): string {
  const place = join(folder, ...path)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'half.ts'), 'export const half = (n: number): number => n / 2\n')
  writeFileSync(
    join(place, 'program.ts'),
    `import { task } from '@jel/compute/program'\nimport { half } from './half.ts'\nexport const halve = task((n: number) => half(n))\n`,
  )
  return join(place, 'program.ts')
}

describe('a bundled program', () => {
  it('is the same in any folder', async () => {
    const [here, there] = await Promise.all([bundleProgram(programIn('here')), bundleProgram(programIn('deep', 'down', 'there'))])
    expect(new TextDecoder().decode(here)).toBe(new TextDecoder().decode(there))
  })

  it('maps its lines to files and lines of its author', async () => {
    const text = new TextDecoder().decode(await bundleProgram(programIn('mapped')))
    const [, encoded] = /base64,(\S+)\n$/u.exec(text) ?? []
    const map = JSON.parse(Buffer.from(encoded as string, 'base64').toString()) as { sources: string[] }
    expect(map.sources.toSorted()).toEqual(['half.ts', 'jel:definitions.ts', 'program.ts'])
  })

  it('keeps the lines of its author if a package uses require', async () => {
    writeFileSync(join(folder, 'package.cjs'), "exports.name = require('os').EOL\n")
    const program = join(folder, 'throws.ts')
    writeFileSync(program, "import { name } from './package.cjs'\n\nexport const fails = (): void => {\n  throw new Error(name)\n}\n")
    const text = new TextDecoder().decode(await bundleProgram(program))
    expect(text).toMatch(/^if \(globalThis\.process/u)
    const line = text.split('\n').findIndex((each) => each.includes('throw new Error'))
    const stack = new ProgramStack('program', () => text).of(`Error\n    at program:${line + 1}:3`)
    expect(stack).toBe('Error\n    at throws.ts:4:3')
  })

  it('loads a program with a require of its own', async () => {
    const program = join(folder, 'own-require.mjs')
    writeFileSync(
      program,
      "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\nexport const a = require('os').EOL, b = require('os').EOL\n",
    )
    const file = join(folder, 'own-require-bundle.mjs')
    writeFileSync(file, await bundleProgram(program))
    expect(await import(file)).toMatchObject({ a: EOL, b: EOL })
  })

  it.each([
    ['only asks for require', "export const a = typeof require === 'function' ? require('os').EOL : ''\n"],
    ['does without the module', "let os\ntry { os = require('os') } catch {}\nexport const a = os\n"],
    ['has the word in a text', "export const a = 'require'\n"],
  ])('gets no require if it %s', async (_, source) => {
    const program = join(folder, 'own.mjs')
    writeFileSync(program, source)
    expect(new TextDecoder().decode(await bundleProgram(program))).not.toMatch(/^if \(globalThis\.process/u)
  })
})
