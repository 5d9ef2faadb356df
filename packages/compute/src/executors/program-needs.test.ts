import { describe, expect, it } from 'vitest'
import { needsOf } from './program-needs.ts'

const umd = `(function (root, factory) {
  typeof exports === 'object' && typeof module !== 'undefined' ? module.exports = factory()
    : typeof define === 'function' && define.amd ? define(factory)
    : (root = typeof globalThis !== 'undefined' ? globalThis : root || self, root.x = factory())
})(undefined, function () { return 1 })`

describe('a program', () => {
  it.each([
    ['the language', 'export const x = new Map([[1, Math.max(2, 3)]])'],
    ['a class by the name that it has inside', 'const A = class B { static make() { return new B() } }\nexport { A }'],
    ['what it asks for first', "export const x = typeof process === 'object' ? process.version : 'none'"],
    ['what it asks for first, in a statement', "let v\nif (typeof process !== 'undefined') { v = process.version }\nexport { v }"],
    ['the guards of UMD', `${umd}\nexport const x = 1`],
    ['an optional module', "let c\ntry { c = require('crypto') } catch {}\nexport { c }"],
    ['random numbers', 'export const x = () => crypto.getRandomValues(new Uint8Array(4))'],
    ['words that look like more', 'export const x = ["<!-- -->", "import(y)", "eval(z)"]'],
  ])('needs nothing if it has %s', (_, source) => {
    expect(needsOf(source)).toEqual({ needs: [], unknown: [] })
  })

  it.each([
    ['a name', 'export const x = () => process.version', ['process']],
    ['a name that it asks for elsewhere', 'export const y = typeof process\nexport const x = () => process.version', ['process']],
    ['another name than the one that it asks for', "export const x = typeof module === 'object' ? process.version : 1", ['process']],
    ['the name of a class outside of it', 'const A = class B {}\nexport const x = () => [A, new B()]', ['B']],
    ['what a class extends', 'export const A = class B extends Buffer {}', ['Buffer']],
    ['a module', "import x from 'node:fs'\nexport { x }", ['node:fs']],
    ['a module that comes later', "export const x = () => import('node:fs')", ['node:fs']],
    ['any module', 'export const x = (y) => import(y)', ['import(…)']],
    ['a module of an older kind', "export const x = () => require('fs')", ['require']],
    [
      'such a module, and says so without it',
      "export const x = () => { try { return require('fs') } catch { throw new Error('no fs') } }",
      ['require'],
    ],
    ['such a module without which it fails', "let c\ntry { c = require('fs') } finally { c = 1 }\nexport { c }", ['require']],
    ['a name that it tries', 'export let x\ntry { x = process.version } catch {}', ['process']],
    ['its own place', 'export const x = () => import.meta.url', ['import.meta']],
    ['exports that no sandbox has', 'export default 1', [expect.stringContaining('exports by name')]],
  ])('needs %s', (_, source, needs) => {
    expect(needsOf(source).needs).toEqual(needs)
  })

  it('has unknown names where no runtime defines them', () => {
    const source = 'export const x = (list) => {\n  return list.length + lenght\n}\nexport const y = () => [process, document, lenght]'
    expect(needsOf(source)).toEqual({ needs: ['document', 'lenght', 'process'], unknown: [{ name: 'lenght', line: 2, column: 23 }] })
  })

  it.each([
    'globalThis.cache ??= 1\nexport const x = () => cache',
    'try { Temporal } catch {}\nexport const x = () => Temporal',
    "export const x = () => 'Temporal' in globalThis ? Temporal : 1",
    "const has = typeof Temporal !== 'undefined'\nexport const x = () => has && Temporal",
    'Object.assign(globalThis, { $: 1 })\nexport const x = () => $',
  ])('has no unknown names if it may define them, or tests for them: %s', (source) => {
    expect(needsOf(source).unknown).toEqual([])
  })
})
