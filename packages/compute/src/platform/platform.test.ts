import { describe, expect, it } from 'vitest'
import * as browserBlobs from './browser/blobs.ts'
import * as browserContainers from './browser/containers.ts'
import * as browserCrypto from './browser/crypto.ts'
import * as browserLocal from './browser/local.ts'
import * as browserHost from './browser/program-host.ts'
import * as browserSaved from './browser/saved.ts'
import * as browserSubmissions from './browser/submissions.ts'
import * as nodeBlobs from './node/blobs.ts'
import * as nodeContainers from './node/containers.ts'
import * as nodeCrypto from './node/crypto.ts'
import * as nodeLocal from './node/local.ts'
import * as nodeHost from './node/program-host.ts'
import * as nodeSaved from './node/saved.ts'
import * as nodeSubmissions from './node/submissions.ts'

describe('the modules of a browser', () => {
  it.each([
    ['blobs', browserBlobs, nodeBlobs],
    ['containers', browserContainers, nodeContainers],
    ['crypto', browserCrypto, nodeCrypto],
    ['local', browserLocal, nodeLocal],
    ['program-host', browserHost, nodeHost],
    ['saved', browserSaved, nodeSaved],
    ['submissions', browserSubmissions, nodeSubmissions],
  ])('have the exports of those of Node: %s', (_, browser, node) => {
    expect(Object.keys(browser).toSorted()).toEqual(Object.keys(node).toSorted())
  })

  it('hash as Node does', async () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, i) => i % 256)
    expect(browserCrypto.sha256('jel', bytes)).toBe(nodeCrypto.sha256('jel', bytes))
    expect(browserCrypto.sha256Url('jel', bytes)).toBe(nodeCrypto.sha256Url('jel', bytes))
    expect(await browserCrypto.hashOf(bytes)).toBe(await nodeCrypto.hashOf(bytes))
  })

  it('sign votes that Node believes, and believe those of Node', () => {
    const message = new TextEncoder().encode('a vote')
    for (const from of [browserCrypto, nodeCrypto]) {
      const { publicKey, sign } = from.createSigningKey()
      const signature = sign(message)
      const forged = signature.with(0, (signature[0] as number) ^ 1)
      for (const to of [browserCrypto, nodeCrypto]) {
        // Each importer takes the keys of its own.
        const { importPublicKey, isSigned } = to as typeof nodeCrypto
        expect(isSigned(importPublicKey(publicKey), message, signature)).toBe(true)
        expect(isSigned(importPublicKey(publicKey), message, forged)).toBe(false)
      }
    }
  })

  it('describe values of a task in one line of bounded length', () => {
    const value: Record<string, unknown> = {
      text: 'a'.repeat(1_000),
      list: [1, 2, 3, 4, 5, 6, 7, 8],
      map: new Map([['key', 1n]]),
      deep: { a: { b: { c: {} } } },
    }
    const text = browserHost.describe(value)
    expect(text).toBe(`{ text: "${'a'.repeat(100)}…", list: [ 1, 2, 3, 4, 5, 6, … ], map: { key: 1n }, deep: { a: { b: [Object] } } }`)
    expect(browserHost.describe(new Uint8Array(1_000_000))).toBe('[ 0, 0, 0, 0, 0, 0, … ]')
  })

  it('refuse by name what a page can not do', async () => {
    expect(() => browserLocal.computeLocal()).toThrow('a page has no processes')
    expect(() => browserSaved.openSavedJobs('state')).toThrow('a page keeps no jobs')
    expect(() => browserBlobs.openBlobStore('cache')).toThrow('a page has no folder')
    expect(() => browserBlobs.partsOfFile('input.csv')).toThrow('a page reads no file; hand in the bytes of input.csv')
    await expect(browserSubmissions.functionSweep()).rejects.toThrow('submit them from a node')
  })
})
