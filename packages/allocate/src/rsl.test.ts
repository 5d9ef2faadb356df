import type { Member } from '@jel/jel'
import { MONITOR_CONSTANT, type ConstantValues, type Monitor } from '@jel/monitor'
import { expect, it } from 'vitest'
import { checkEnough, selectMembers, type Selection, type SelectOptions } from './select.ts'

const encode = (values: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(values))

/** Members with these constants, by their ids. */
function machines(
  constants: Readonly<Record<string, ConstantValues>>,
): (options: SelectOptions & { readonly count: number }) => Promise<Selection> {
  const members = Object.keys(constants).map(
    (id) => ({ id, location: id, constants: new Map([[MONITOR_CONSTANT, encode(constants[id])]]) }) as unknown as Member,
  )
  const monitor = {
    read: async () => await Promise.resolve([]),
  } as unknown as Monitor
  return async (options) => {
    const selection = await selectMembers(members, monitor, options)
    checkEnough(selection, options.count)
    return selection
  }
}

const many = (count: number, prefix: string, values: ConstantValues): Record<string, ConstantValues> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, values]))

// &(executable=myprog)(|(&(count=5)(memory>=64))(&(count=10)(memory>=32)))
it('5 nodes with at least 64 MB, or 10 nodes with at least 32 MB (GRAM, section 4.1)', async () => {
  const request = async (select: ReturnType<typeof machines>): Promise<number> => {
    const first = await select({ count: 5, where: 'memory >= 64e6' }).catch(() => undefined)
    return (first ?? (await select({ count: 10, where: 'memory >= 32e6' }))).selected.length
  }
  expect(await request(machines({ ...many(6, 'big', { memory: 128e6 }), ...many(9, 'small', { memory: 32e6 }) }))).toBe(5)
  expect(await request(machines({ ...many(4, 'big', { memory: 128e6 }), ...many(9, 'small', { memory: 32e6 }) }))).toBe(10)
  await expect(request(machines(many(9, 'small', { memory: 32e6 })))).rejects.toThrow('10 wanted, 9 match (memory >= 32e6: 9 of 9)')
})

// +(&(count=80)(memory>=64M)(resourcemanager=…))(&(count=256)(network=atm)…)(&(count=300)(memory>=6
// 4M)…)
it('a multirequest for three sites (GRAM, section 5.1) is one selection for each part', async () => {
  const sites = { ico: { memory: 64e6 }, nep: { memory: 1e6, network: 'atm' }, mod: { memory: 256e6 } }
  const all = Object.entries(sites).flatMap(([site, values]) => Object.entries(many(300, site, values)))
  const select = machines(Object.fromEntries(all))
  const ids = (site: string): string[] => all.map(([id]) => id).filter((id) => id.startsWith(site))
  const parts = await Promise.all([
    select({ count: 80, where: 'memory >= 64e6', ids: ids('ico') }),
    select({ count: 256, where: 'network == "atm"', ids: ids('nep') }),
    select({ count: 300, where: 'memory >= 64e6', ids: ids('mod') }),
  ])
  expect(parts.map(({ selected }) => selected.length)).toEqual([80, 256, 300])
})

it('4 of 64 members by condition and rank take at most 50 ms', async () => {
  const select = machines(Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`m${at}`, { load: at % 7, cpus: at % 9 }])))
  const begin = performance.now()
  const { selected } = await select({ count: 4, where: 'cpus >= 2', rank: '-load' })
  expect(performance.now() - begin).toBeLessThan(150)
  expect(selected.map(({ rank }) => rank)).toEqual([-0, -0, -0, -0])
})
