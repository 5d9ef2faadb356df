import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { scriptOf } from './compartment-script.ts'

/** The text that SES refuses. */
const SUSPICIOUS = /<!--|-->|(?:^|[^.]|\.\.\.)\bimport(?:\s*(?:\(|\/[/*]))/u

const run = async (source: string): Promise<unknown> => ((await runInNewContext(scriptOf(source))) as { x: unknown }).x

describe('a module as a script', () => {
  it.each<[string, string, unknown]>([
    [
      'strings',
      String.raw`export const x = ["<!-- -->", 'import("a")', 'an \import ("b")', '\u{1f600}-->', 'import /* c */ ()']`,
      ['<!-- -->', 'import("a")', 'an import ("b")', '😀-->', 'import /* c */ ()'],
    ],
    ['templates', 'const a = 1\nexport const x = `<!-- ${a} --> import(${`-->`})`', '<!-- 1 --> import(-->)'],
    [
      'regular expressions',
      String.raw`export const x = ['<!--', '-->', 'import(', '#'].map((s) => /<!--|-->|import(?=\()/.test(s))`,
      [true, true, true, false],
    ],
    [
      'classes of characters',
      'export const x = ["!", "%", "-", ">", "<", "/"].map((c) => /[<!-->]/.test(c))',
      [true, true, true, true, true, false],
    ],
    ['look-behinds', 'export const x = "ab--a".replace(/(?<!--)a/g, "b")', 'bb--a'],
    ['operators', 'let n = 3, m = 0\nwhile (n-->0) m++\nexport const x = [m, 1<!--n]', [3, false]],
    ['comments', '/* <!-- import("x")\n--> */ export const x = 1 // -->\n', 1],
    ['names', 'const o = { import(y) { return y }, get: 1 }\nexport const x = o.import(7)', 7],
    ['exports', 'const a = 5\nexport const x = 4\nexport { a as "<!--" }', 4],
  ])('means the same: %s', async (_, source, expected) => {
    expect(scriptOf(source)).not.toMatch(SUSPICIOUS)
    expect(JSON.stringify(await run(source))).toBe(JSON.stringify(expected))
  })

  it('keeps its line numbers', () => {
    const source = 'export const x = `a\n-->`\n/* b\n\n*/\nexport { x as\n y }\nconst last = 1'
    const lineOf = (text: string): number => text.split('\n').findIndex((line) => line.includes('last'))
    expect(lineOf(scriptOf(source))).toBe(lineOf(source))
  })

  it.each([
    ['an import', "import 'node:fs'"],
    ['a tagged template that would change', 'export const x = String.raw`-->`'],
  ])('is refused if it has %s', (_, source) => {
    expect(() => scriptOf(source)).toThrow(SyntaxError)
  })

  it('keeps a dynamic import for the compartment to refuse', () => {
    expect(scriptOf("export const x = () => import /* now */ ('node:fs')")).toMatch(SUSPICIOUS)
  })
})
