import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { generatePoolKey, joinPool, type Pool } from '../src/index.ts'
import { executablePath, openPage, servePage } from './tab-swarm.ts'

const LATE = 15_000

let browser: Browser
const pools: Pool[] = []
const problems: string[] = []

const isWeb = (address: string): boolean => address.includes('/ws')

/** Members in this process. They serve the page, or only TCP. */
async function members(name: string, ports: readonly ('web' | 'tcp')[], key?: Uint8Array): Promise<void> {
  const web = { listen: '127.0.0.1:0', serve: await servePage() }
  for (const port of ports) {
    const bootstrap = pools[0]?.self.addresses.filter((address) => !isWeb(address))
    const options = { listen: ['127.0.0.1:0'], ...(port === 'web' && { web }), ...(bootstrap && { bootstrap }), ...(key && { key }) }
    pools.push(await joinPool(name, options))
  }
}

async function openTab(name: string, key?: Uint8Array): Promise<Page> {
  const address = pools[0]?.self.addresses.find(isWeb) ?? ''
  const page = await openPage(await browser.newContext(), address, (problem) => problems.push(problem))
  const options = { bootstrap: [address], ...(key && { key: new TextDecoder().decode(key) }) }
  expect(await page.evaluate(async ([pool, given]) => await globalThis.enter(pool, given), [name, options] as const)).toBeLessThan(LATE)
  return page
}

const idOf = async (page: Page): Promise<string> => await page.evaluate(() => globalThis.pool?.self.id ?? '')
const sizeAt = async (page: Page): Promise<number> => await page.evaluate(() => globalThis.pool?.members().length ?? 0)

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<number> {
  const began = performance.now()
  while (!(await condition())) {
    if (performance.now() - began > LATE) throw new Error(`not within ${LATE} ms: ${what}`)
    await sleep(20)
  }
  return performance.now() - began
}

/** Sends bytes from a tab to a member and back. Returns the number that came back. */
async function echo(page: Page, id: string): Promise<number> {
  return await page.evaluate(async (to) => {
    const stream = await globalThis.pool?.open(to, '/echo/1')
    if (stream === undefined) return 0
    let got = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    stream.addEventListener('message', ({ data }) => {
      got += data.byteLength
      if (got >= 100_000) resolve()
    })
    for (let sent = 0; sent < 100_000; sent += 10_000) stream.send(new Uint8Array(10_000))
    await promise
    return got
  }, id)
}

describe.skipIf(executablePath === undefined)('a tab of a browser (skipped where there is no chromium)', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] })
  }, 60_000)
  afterAll(async () => await browser?.close())
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    await Promise.all(pools.splice(0).map(async (pool) => await pool.leave()))
    problems.splice(0)
  })

  it.each([false, true])(
    'is a member: it knows all, is elected, and its end is noticed (private: %s)',
    { timeout: 90_000 },
    async (isPrivate) => {
      const key = isPrivate ? generatePoolKey() : undefined
      await members('tabs', ['web', 'web', 'tcp'], key)
      const [one, two] = [await openTab('tabs', key), await openTab('tabs', key)]
      await until(
        async () => pools.every((pool) => pool.members().length === 5) && (await sizeAt(one)) === 5 && (await sizeAt(two)) === 5,
        'all know all',
      )
      const id = await idOf(one)
      expect(pools[0]?.members().find((member) => member.id === id)).toMatchObject({ reach: 'tab', addresses: [] })
      expect(await one.evaluate(async () => (await globalThis.pool?.elect('first'))?.winner.id)).toBe(id)
      await until(() => pools.every((pool) => pool.reigns().some(({ winner }) => winner.id === id)), 'all know the winner')
      await two.close()
      await until(() => pools.every((pool) => pool.members().length === 4), 'all know that the tab is gone')
      expect(problems).toEqual([])
    },
  )

  it('exchanges streams with members over WebSockets, over TCP only, and with other tabs', { timeout: 90_000 }, async () => {
    await members('streams', ['web', 'web', 'tcp'])
    for (const pool of pools)
      await pool.handle('/echo/1', (stream) => {
        stream.addEventListener('message', ({ data }) => void stream.send(data))
      })
    const [one, two] = [await openTab('streams'), await openTab('streams')]
    const other = await idOf(two)
    await until(async () => (await sizeAt(one)) === 5, 'the tab knows all')
    for (const id of [...pools.map(({ self }) => self.id), other]) expect(await echo(one, id)).toBe(100_000)
    const stream = await (pools[2] as Pool).open(other, '/echo/1')
    let got = 0
    stream.addEventListener('message', ({ data }) => void (got += data.byteLength))
    stream.send(new Uint8Array(1_000))
    await until(() => got === 1_000, 'a stream to a tab')
    expect(problems).toEqual([])
  })
})
