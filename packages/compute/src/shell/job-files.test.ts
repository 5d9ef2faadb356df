import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { toBytes } from '../schemas.ts'
import { readBlobList } from './blob-list.ts'
import { nameOf } from './blob-names.ts'
import { BlobStore } from './blob-store.ts'
import { JobBlobs } from './job-blobs.ts'
import { JobFiles } from './job-files.ts'

const BLOBS = 100
const hashes = Array.from({ length: BLOBS }, (_, n) => n.toString(16).padStart(64, '0'))

it.each([
  ['are on their way', async (): Promise<never> => await new Promise<never>(() => {})],
  ['could not be had', async (): Promise<never> => await Promise.reject(Object.assign(new Error('no room'), { code: 'ENOSPC' }))],
])('the files of a job that %s are not pinned again when a member comes', async (_, fetch) => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-files-'))
  try {
    const store = new BlobStore(folder)
    const list = await readBlobList(toBytes(hashes.map((hash) => ({ name: nameOf({ hash, isList: false }), size: 1, parts: [hash] }))))
    const files = new JobFiles({
      store,
      exchange: {} as never,
      jobs: { owner: 'me', get: (id: string) => ({ id, owner: 'stranger', blobs: 'f'.repeat(64) }) } as never,
      scheduler: { ended: () => undefined } as never,
      holders: { isReplica: () => true } as never,
      placeOf: () => 'sandbox',
      warn: () => {},
    })
    files.set('job', new JobBlobs('e'.repeat(64), list, fetch))
    const pin = vi.spyOn(store, 'pin')
    files.keepAll()
    // The list, the program and the blobs.
    expect(pin).toHaveBeenCalledTimes(BLOBS + 2)
    await new Promise(setImmediate)
    files.keepAll()
    expect(pin).toHaveBeenCalledTimes(BLOBS + 2)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it.each([
  ['one replica takes them', [true], false, 'kept'],
  ['a replica is silent at first', [false, true], false, 'kept'],
  ['the job has ended meanwhile, and this member is a replica', [false], true, 'kept'],
  ['the job has ended meanwhile', [false], false, 'no replica of the job takes these bytes: it is silent'],
])('the bytes of a task: %s', async (_, answers, isReplica, end) => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-files-'))
  try {
    const files = new JobFiles({
      store: new BlobStore(folder),
      exchange: {
        give: async () => (answers.shift() === true ? await Promise.resolve() : await Promise.reject(new Error('it is silent'))),
      } as never,
      jobs: { owner: 'me', get: (id: string) => ({ id, owner: 'me', program: 'f'.repeat(64) }) } as never,
      scheduler: { ended: () => (answers.length === 0 ? 'done' : undefined) } as never,
      holders: { isReplica: () => isReplica, replicas: () => ['other'], all: () => [] } as never,
      placeOf: () => 'own',
      warn: () => {},
    })
    const kept = files.placed('job').store(Uint8Array.of(1))
    expect(
      await kept.then(
        () => 'kept',
        (error: unknown) => (error as Error).message,
      ),
    ).toBe(end)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
