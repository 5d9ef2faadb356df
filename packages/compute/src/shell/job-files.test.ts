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
import type { PublishedJob } from './job-record.ts'

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

it('a replica keeps what a task of a job made, up to 64 MiB, until the job has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-files-'))
  try {
    const state = { isReplica: true, ended: undefined as unknown }
    const store = new BlobStore(folder, 1)
    const files = new JobFiles({
      store,
      exchange: {} as never,
      jobs: { owner: 'me', has: (id: string) => id === 'job', get: () => ({ owner: 'stranger' }) } as never,
      scheduler: { ended: () => state.ended } as never,
      holders: { isReplica: () => state.isReplica } as never,
      placeOf: () => 'own',
      warn: () => {},
    })
    const half = new Uint8Array(2 ** 19)
    const made = await store.put(half)
    expect(files.pinMade('job', made, half.length)).toBeDefined()
    await store.put(half.fill(1))
    await store.put(half.fill(2))
    expect(await store.size(made)).toBe(half.length)
    // The same bytes count once, and others do not fit beside them.
    expect(files.pinMade('job', made, half.length)).toBeDefined()
    expect(files.pinMade('job', 'f'.repeat(64), 64 * 2 ** 20)).toBeUndefined()
    // Bytes that could not be kept count no more.
    files.pinMade('job', 'f'.repeat(64), 63 * 2 ** 20)?.()
    const counted = hashes
      .concat(hashes.map((hash) => hash.replace(/^0/u, 'a')))
      .filter((hash) => files.pinMade('job', hash, 2 ** 20)).length
    expect(counted).toBe(63)
    files.ended('job')
    await store.put(half.fill(3))
    expect(await store.size(made)).toBeUndefined()
    expect(files.pinMade('another job', made, 1)).toBeUndefined()
    state.isReplica = false
    expect(files.pinMade('job', made, 1)).toBeUndefined()
    Object.assign(state, { isReplica: true, ended: {} })
    expect(files.pinMade('job', made, 1)).toBeUndefined()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Files of jobs at a member of `me`. Each job's input has 1 MiB, its list almost nothing. */
function filesOf(folder: string, ended = new Set<string>()): { files: JobFiles; job: (id: string, owner: string) => PublishedJob } {
  const jobs = new Map<string, PublishedJob>()
  const files = new JobFiles({
    store: new BlobStore(folder),
    exchange: { fetch: async (hash: string) => (hash === 'input' ? new Uint8Array(2 ** 20) : toBytes([])) } as never,
    jobs: { owner: 'me', has: (id: string) => jobs.has(id), get: (id: string) => jobs.get(id) } as never,
    scheduler: { ended: (id: string) => (ended.has(id) ? {} : undefined) } as never,
    holders: { isReplica: () => true, all: () => [] } as never,
    placeOf: () => 'own',
    warn: () => {},
  })
  const job = (id: string, owner: string): PublishedJob => {
    const made = { id, owner, program: 'p', inputBlob: 'input', blobs: 'list' } as PublishedJob
    jobs.set(id, made)
    return made
  }
  return { files, job }
}

it('the inputs of open jobs of other owners take bounded memory, and those of ended jobs none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-files-'))
  try {
    const ended = new Set<string>()
    const { files, job } = filesOf(folder, ended)
    const input = async (id: string, owner = 'stranger'): Promise<unknown> => {
      const published = job(id, owner)
      return await files.inputOf(published).then(
        async () => await files.blobsOf(published).then(() => 'here'),
        (error: unknown) => (error as { code: string }).code,
      )
    }
    const ends: unknown[] = []
    for (let n = 0; n < 70; n++) ends.push(await input(`job ${n}`))
    // One owner may take half of 128 MiB, and leaves room for others.
    expect(ends.filter((end) => end === 'here')).toHaveLength(63)
    expect(ends.at(-1)).toBe('BLOB_TOO_LARGE')
    expect(await input('of another', 'another stranger')).toBe('here')
    // A second look counts once, and this member's own owner has no limit.
    expect(await input('job 3')).toBe('here')
    expect(await input('mine', 'me')).toBe('here')
    for (let n = 0; n < 5; n++) await input('mine', 'me')
    for (const id of ['job 1', 'job 2', 'job 3', 'of another']) {
      files.ended(id)
      ended.add(id)
    }
    expect(await input('last')).toBe('here')
    // A record that was withdrawn while its input came takes nothing.
    const late = job('late', 'stranger')
    const coming = files.inputOf(late)
    job('late', 'stranger')
    await expect(coming).rejects.toThrow('another record')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('a job whose files were evicted while others came is not kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-files-'))
  try {
    const { files, job } = filesOf(folder)
    job('job', 'stranger')
    const list = await readBlobList(
      toBytes(hashes.slice(0, 2).map((hash) => ({ name: nameOf({ hash, isList: false }), size: 1, parts: [hash] }))),
    )
    let fetched = 0
    const blobs = new JobBlobs('e'.repeat(64), list, async () => {
      if (++fetched === 2) files.evicted('job')
      return await Promise.resolve(Uint8Array.of(1))
    })
    files.set('job', blobs)
    expect(await files.keeps('job')).toBe(false)
    expect(fetched).toBe(3)
    expect(await files.keeps('job')).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
