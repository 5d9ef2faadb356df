import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '../core/entry.ts'
import type { Message } from '../core/messages.ts'
import { NOTHING_SHARED } from '../core/shared-value.ts'
import { SavedJobs, type SavedJobsOptions } from './saved-jobs.ts'

const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(20)) as [string, string, string]
const pathOf = (number: number): string => String(number).padStart(10, '0')
const entry = (number: number, bytes = 10): Entry => ({
  path: pathOf(number),
  outcome: { value: new Uint8Array(bytes).fill(number) },
  shared: NOTHING_SHARED,
})

let folder: string
/** All entries of each job, and those that are not saved. */
let known: Map<string, Entry[]>
let unsaved: Map<string, Entry[]>
let ended: Set<string>
let fed: Message[]
let warnings: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-saved-'))
  ;[known, unsaved, ended, fed, warnings] = [new Map(), new Map(), new Set(), [], []]
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function open(options: Partial<SavedJobsOptions> & { readonly poolName?: string } = {}): SavedJobs {
  const { poolName = 'p', ...others } = options
  return new SavedJobs({
    pool: { sign: async (message) => await Promise.resolve(createHash('sha512').update(poolName).update(message).digest()) },
    folder,
    limit: 1_000_000,
    scheduler: {
      takeUnsaved: () => {
        const news = unsaved
        unsaved = new Map()
        return news
      },
      entries: (id) => known.get(id) ?? [],
      ended: (id) => (ended.has(id) ? 'done' : undefined),
    },
    feed: (message) => fed.push(message),
    ownerOf: (id) => `owner of ${id[0]}`,
    warn: (code, message, job) => warnings.push(`${code} ${job}: ${message}`),
    ...others,
  })
}

function settle(id: string, ...entries: readonly Entry[]): void {
  known.set(id, [...(known.get(id) ?? []), ...entries])
  unsaved.set(id, [...(unsaved.get(id) ?? []), ...entries])
}

/** Opens, saves what is new, and closes. */
async function save(options?: Parameters<typeof open>[0]): Promise<void> {
  const saved = open(options)
  await saved.start([])
  await saved.close()
}

/** Returns the entries that come back. */
async function restored(id: string, options?: Parameters<typeof open>[0]): Promise<readonly Entry[]> {
  fed = []
  const saved = open(options)
  await saved.start([id])
  saved.restore(id)
  await saved.close()
  return fed.flatMap((message) => (message.type === 'report' ? message.entries : []))
}

describe('saved outcomes', () => {
  it('come back as a report, once', async () => {
    settle(one, entry(1), entry(2))
    await save()
    const saved = open()
    await saved.start([one])
    expect(fed).toEqual([])
    expect(saved.restore(one)).toBe(true)
    expect(saved.restore(one)).toBe(false)
    await expect.poll(() => fed).toMatchObject([{ type: 'report', job: one, number: 0, entries: [entry(1), entry(2)] }])
    await saved.close()
    expect(warnings).toEqual([])
  })

  it('come back later for a job that comes later, and are not replaced meanwhile', async () => {
    settle(one, entry(1))
    await save()
    known.clear()
    const saved = open()
    await saved.start([])
    settle(one, entry(2))
    saved.restore(one)
    known.set(one, [entry(1), entry(2)])
    await saved.close()
    expect(fed).toMatchObject([{ entries: [entry(1)] }])
    expect(await restored(one)).toEqual([entry(1), entry(2)])
  })

  it('are saved within a second of a change, each once, in a file that is written as a whole now and then', async () => {
    const saved = open()
    await saved.start([])
    const sizes: number[] = []
    for (let number = 0; number < 3; number++) {
      settle(one, entry(number, 60_000))
      saved.changed()
      await expect.poll(() => existsSync(join(folder, one)) && statSync(join(folder, one)).size > 60_000 * (number + 1)).toBe(true)
      sizes.push(statSync(join(folder, one)).size)
    }
    expect(sizes.at(-1)).toBeLessThan(181_000)
    ended.add(one)
    known.set(one, [entry(9)])
    unsaved.set(one, [entry(9)])
    await saved.close()
    expect(statSync(join(folder, one)).size).toBeLessThan(1000)
    expect(await restored(one)).toEqual([entry(9)])
  })

  it('are saved within a second of a change, though an earlier save is still under way', async () => {
    let isFirst = true
    const ownerOf = (): string => {
      if (isFirst) {
        isFirst = false
        settle(two, entry(2))
        saved.changed()
      }
      return 'owner'
    }
    const saved = open({ ownerOf })
    await saved.start([])
    settle(one, entry(1))
    saved.changed()
    await expect.poll(() => existsSync(join(folder, two))).toBe(true)
    await saved.close()
  })

  it('of another pool, and noise, are ignored with a warning that names the job, and are replaced', async () => {
    settle(one, entry(1))
    await save({ poolName: 'other' })
    expect(await restored(one)).toEqual([])
    writeFileSync(join(folder, two), new Uint8Array(5000).fill(77))
    expect(await restored(two)).toEqual([])
    expect(warnings).toEqual([expect.stringContaining(`STATE ${one}: `), expect.stringContaining(`STATE ${two}: `)])
    settle(one, entry(2))
    await save()
    expect(await restored(one)).toEqual([entry(1), entry(2)])
  })

  it('before a damaged place come back, and the file is whole again after the next save', async () => {
    settle(one, entry(1))
    await save()
    appendFileSync(join(folder, one), new Uint8Array(50))
    expect(await restored(one)).toEqual([entry(1)])
    expect(warnings.splice(0)).toEqual([expect.stringContaining('damaged after 1 parts')])
    settle(one, entry(2))
    await save()
    expect(await restored(one)).toEqual([entry(1), entry(2)])
    expect(warnings).toEqual([])
  })

  it('make way if there is no room: those of unknown jobs, then the largest of the owner that takes most', async () => {
    settle(one, entry(1, 400_000))
    settle(two, entry(2, 300_000))
    await save()
    settle(three, entry(3, 500_000))
    await save({ ownerOf: (id) => (id === two ? undefined : `owner of ${id}`) })
    expect(readdirSync(folder).toSorted()).toEqual([one, three])
    expect(warnings).toEqual([])
    known.delete(two)
    settle(two, entry(2, 300_000))
    await save({ ownerOf: (id) => (id === two ? 'modest' : 'greedy') })
    expect(readdirSync(folder).toSorted()).toEqual([one, two])
    expect(warnings).toEqual([expect.stringContaining(`STATE_FULL ${three}`)])
  })

  it('that can not be written are warned of once, and written when they can', async () => {
    const place = join(folder, 'file')
    writeFileSync(place, '')
    const saved = open({ folder: place })
    await saved.start([])
    settle(one, entry(1))
    settle(two, entry(2))
    saved.changed()
    await expect.poll(() => warnings.length, { timeout: 3000 }).toBe(2)
    expect(warnings).toEqual([expect.stringContaining('no jobs are saved'), expect.stringContaining("can't be saved")])
    rmSync(place)
    await saved.close()
    expect(readdirSync(place).toSorted()).toEqual([one, two])
  })

  it('are removed with the job, or when nobody can need them any more', async () => {
    settle(one, entry(1))
    settle(two, entry(2))
    await save()
    const past = new Date(Date.now() - 32 * 24 * 60 * 60 * 1000)
    utimesSync(join(folder, two), past, past)
    const saved = open()
    await saved.start([one])
    saved.forget(one)
    await saved.close()
    expect(readdirSync(folder)).toEqual([])
  })
})
