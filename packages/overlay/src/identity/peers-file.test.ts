import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatAddresses } from '../base/addresses.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ephemeralIdentity } from './identity.ts'
import { PeersFile } from './peers-file.ts'

let folder: string
let identity: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jel-peers-'))
  identity = join(folder, 'identity')
})
afterEach(() => rmSync(folder, { recursive: true }))

const day = 86_400_000
const warnings: string[] = []
const open = (pool = 'p'): PeersFile => new PeersFile(identity, pool, (message) => warnings.push(message))
const found = (file: PeersFile, now?: number): string[] =>
  file.introducers(now).flatMap(({ id, address }) => formatAddresses([address], id))

async function members(count: number): Promise<{ id: string; addresses: string[] }[]> {
  const ids = await Promise.all(Array.from({ length: count }, async () => (await ephemeralIdentity()).id))
  return ids.map((id, i) => ({ id, addresses: [`/ip4/192.0.2.${i + 1}/tcp/4001/p2p/${id}`] }))
}

describe('remembered peers', () => {
  test('are found again, in a file that only its owner can read', async () => {
    const all = await members(3)
    await open().save(all)
    expect(statSync(`${identity}.peers`).mode & 0o777).toBe(0o600)
    const again = open()
    expect(found(again).toSorted()).toEqual(all.flatMap(({ addresses }) => addresses).toSorted())
    expect(again.introducers().every(({ remembered }) => remembered === true)).toBe(true)
  })

  test('stay known for a while after they are gone, listed after those that are here', async () => {
    const [gone, here] = await members(2)
    const now = Date.now()
    const file = open()
    await file.save([gone!], new Map(), now)
    await file.save([here!], new Map(), now + day)
    expect(found(open(), now + day)).toEqual([...here!.addresses, ...gone!.addresses])
    expect(found(open(), now + 31.5 * day)).toEqual(here!.addresses)
  })

  test('stay known to the last member that leaves', async () => {
    const [other] = await members(1)
    await open().save([other!])
    await open().save([])
    expect(found(open())).toEqual(other!.addresses)
  })

  test('are bounded in number, however large the pool, and tried in part', async () => {
    await open().save(await members(200))
    const { peers } = JSON.parse(readFileSync(`${identity}.peers`, 'utf8')) as { peers: unknown[] }
    expect(peers).toHaveLength(64)
    expect(open().introducers()).toHaveLength(32)
  })

  test('are kept only where they can be dialled', async () => {
    const [member] = await members(1)
    const bad = `/ip4/192.0.2.9/udp/1/p2p/${member!.id}`
    await open().save([{ id: member!.id, addresses: [bad, ...member!.addresses] }])
    expect(found(open())).toEqual(member!.addresses)
  })

  test('of another pool are not used to enter this one', async () => {
    await open().save(await members(1))
    expect(found(open('other'))).toEqual([])
  })

  test('are kept beside the latest epochs of the elections of their pool', async () => {
    await open().save([], new Map([['master', 7], ['other', 1]])) // prettier-ignore
    await open().save([], new Map([['master', 6]]))
    expect(open().epochs).toEqual(new Map([['master', 7], ['other', 1]])) // prettier-ignore
    expect(open('another pool').epochs.size).toBe(0)
  })

  test('are kept beside epochs that no made-up elections push out while the node remembers them', async () => {
    const file = open()
    for (let round = 0; round < 4; round++) {
      const made = Array.from({ length: 255 }, (_, election) => [`${round} ${election}`, 1] as const)
      await file.save([], new Map([...made, ['master', 1_000]]))
    }
    expect(open().epochs.get('master')).toBe(1_000)
    expect(open().epochs.size).toBe(512)
  })

  test('are kept beside epochs that no names made of digits push out after a restart', async () => {
    const digits = (from: number): Map<string, number> => new Map(Array.from({ length: 255 }, (_, i) => [String(from + i), 1]))
    await open().save([], new Map([['master', 1_000], ...digits(0)]))
    await open().save([], digits(1_000))
    await open().save([], digits(2_000))
    expect([...open().epochs.keys()].slice(0, 511)).toEqual([...digits(2_000).keys(), ...digits(1_000).keys(), 'master'])
  })

  test('of an earlier version are read with their epochs', () => {
    writeFileSync(`${identity}.peers`, '{"format":"jel-peers/1","pool":"p","peers":[],"epochs":{"master":7}}')
    expect(open().epochs).toEqual(new Map([['master', 7]]))
  })

  test('make way for the epochs if the file would be too large to be read', async () => {
    const all = (await members(64)).map(({ id }) => ({
      id,
      addresses: [1, 2, 3, 4].map((port) => `/dns/${'"'.repeat(255)}/tcp/${port}/p2p/${id}`),
    }))
    await open().save(all, new Map(Array.from({ length: 512 }, (_, election) => [`${election}${'"'.repeat(120)}`, 7])))
    expect(open().epochs.size).toBe(512)
    expect(warnings).toEqual([])
  })

  test('are not written when nothing changed', async () => {
    const all = await members(1)
    const file = open()
    await file.save(all)
    rmSync(`${identity}.peers`)
    await file.save(all)
    expect(() => statSync(`${identity}.peers`)).toThrow('ENOENT')
  })

  test.each([
    ['is cut off', '{"format":"jel-pe'],
    ['is no object', 'null'],
    ['is of another format', '{"format":"jel-peers/9","pool":"p","peers":[]}'],
    ['has peers without addresses', '{"format":"jel-peers/1","pool":"p","peers":[{"seen":1}]}'],
    ['has addresses that are none', '{"format":"jel-peers/1","pool":"p","peers":[{"addresses":["x"],"seen":1}]}'],
    ['is too large', ' '.repeat(300_000)],
    ['has epochs that are none', '{"format":"jel-peers/1","pool":"p","peers":[],"epochs":[["master",-1]]}'],
    ['has epochs without names', '{"format":"jel-peers/1","pool":"p","peers":[],"epochs":[7]}'],
    ['has epochs of an earlier version that are none', '{"format":"jel-peers/1","pool":"p","peers":[],"epochs":{"master":-1}}'],
  ])('are none in a file that %s, which a warning names', async (_what, text) => {
    warnings.length = 0
    writeFileSync(`${identity}.peers`, text)
    const file = open()
    expect(found(file)).toEqual([])
    expect(warnings).toEqual([expect.stringContaining(`${identity}.peers is ignored: `)])
    const all = await members(1)
    await file.save(all)
    expect(found(open())).toEqual(all[0]!.addresses)
  })

  test('that can not be written give one warning, and are written once they can be', async () => {
    warnings.length = 0
    const file = new PeersFile(join(folder, 'later', 'identity'), 'p', (message) => warnings.push(message))
    const all = await members(1)
    expect(await file.save(all)).toBe(false)
    expect(await file.save(all)).toBe(false)
    expect(warnings).toEqual([expect.stringMatching(/can't write the file of remembered peers .*identity\.peers: /u)])
    mkdirSync(join(folder, 'later'))
    expect(await file.save(all)).toBe(true)
    expect(statSync(join(folder, 'later', 'identity.peers')).size).toBeGreaterThan(100)
  })
})
