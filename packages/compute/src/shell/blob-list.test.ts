import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toBytes } from '../schemas.ts'
import { keepBlob, listBlobs, readBlobList } from './blob-list.ts'
import { nameOf, readName } from './blob-names.ts'
import { hashOf } from '#platform/crypto'
import { BlobStore } from './blob-store.ts'

let folder: string
let store: BlobStore

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-list-'))
  store = new BlobStore(folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

const hash = 'ab'.repeat(32)
const raw = nameOf({ hash, isList: false })
const twice = nameOf({ hash: await hashOf(toBytes([hash, hash])), isList: true })

describe('names of blobs', () => {
  it('come back unchanged', () => {
    for (const isList of [true, false]) expect(readName(nameOf({ hash, isList }))).toEqual({ hash, isList })
  })

  it.each([
    ['nothing', ''],
    ['a CIDv0', 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG'],
    ['other bytes than a blob', 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'],
    ['upper case', raw.toUpperCase()],
    ['a path', `/ipfs/${raw}`],
    ['more than a name', `${raw}a`],
  ])('are not read from %s', (_, text) => {
    expect(readName(text)).toBeUndefined()
  })
})

describe('the list of a job’s blobs', () => {
  it('is the same in any order, and has each blob once', async () => {
    const [one, two] = [await keepBlob(store, Uint8Array.of(1)), await keepBlob(store, Uint8Array.of(2))]
    const list = await listBlobs(store, [one, two])
    expect(await listBlobs(store, [two, one, { blob: two.blob }])).toEqual(list)
    expect(await readBlobList(list as Uint8Array)).toHaveLength(2)
    expect(await listBlobs(store, [])).toBeUndefined()
  })

  it('has the parts of a large file', async () => {
    const file = join(folder, 'large')
    writeFileSync(file, new Uint8Array(64 * 2 ** 20 + 1).fill(5))
    const large = await keepBlob(store, file)
    const [listed] = await readBlobList((await listBlobs(store, [large])) as Uint8Array)
    expect(listed).toMatchObject({ name: large.blob, size: 64 * 2 ** 20 + 1, parts: [expect.anything(), expect.anything()] })
    expect(await keepBlob(store, new Uint8Array(64 * 2 ** 20 + 1).fill(5))).toEqual(large)
  })

  it.each([
    ['parts of another blob', [{ name: raw, size: 1, parts: ['cd'.repeat(32)] }]],
    ['more parts than its size has', [{ name: twice, size: 1, parts: [hash, hash] }]],
    ['a size beyond all parts', [{ name: raw, size: 2 ** 52, parts: [hash] }]],
    ['a path for a hash', [{ name: raw, size: 1, parts: ['../../../../etc/passwd'] }]],
    ['no parts', [{ name: raw, size: 1, parts: [] }]],
    ['more blobs than a job may have', Array.from({ length: 1025 }, () => ({ name: raw, size: 1, parts: [hash] }))],
  ])('is refused with %s', async (_, list) => {
    await expect(readBlobList(toBytes(list))).rejects.toThrow(Error)
  })

  it('is not read from random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const read = await readBlobList(bytes).catch(() => [])
        expect(read).toEqual([])
      }),
    )
  })
})
