import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { joinPool } from '@jel/jel'
import { service } from '@jel/service'
import { shortId } from '../src/events/quantity.ts'
import { join1, JelProcess, loopback, removeFolder, script } from './jel-process.ts'

/** The paths of Debian's chromium and of Google's. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
/** The limit of a page's size, bytes. */
const BYTES_LIMIT = 60_000
/**
 * The least frames a second: a tenth of the 31 that a slow machine without a graphics processor
 * draws. Headless chromium draws on the processor there, and a busy one left it 8.8.
 */
const LEAST_FRAMES = 3

/** A program whose tasks take 40 ms, and fail for one input. */
const PROGRAM = `
export const busy = (n) => {
  for (const end = performance.now() + 40; performance.now() < end; );
  if (n === 30) throw new RangeError('no such luck')
  return n
}
`

let browser: Browser
const problems: string[] = []

/** Opens a page of a node, and records its errors. */
async function open(url: string, options: Parameters<Browser['newPage']>[0] = {}, prepare?: (page: Page) => Promise<void>): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options })
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  await prepare?.(page)
  await page.goto(url)
  return page
}

async function joinShown(pool: string, ...args: string[]): Promise<{ node: JelProcess; url: string }> {
  const node = await join1(pool, '--http', '127.0.0.1:0', ...args)
  await node.until(() => node.of('http').length > 0, 'http')
  return { node, url: node.of('http')[0]!.url }
}

const text = async (page: Page, id: string): Promise<string> => (await page.textContent(`#${id}`)) ?? ''
const rows = async (page: Page): Promise<string[]> => await page.locator('.body .line:not([hidden])').allTextContents()

describe.skipIf(executablePath === undefined)('the page in a browser (skipped where there is no chromium)', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  })
  afterAll(async () => await browser?.close())
  afterEach(async () => {
    // A page of a failed test would go on asking its node, which is gone.
    for (const context of browser?.contexts() ?? []) await context.close()
    problems.splice(0)
  })

  it('shows joins, deaths, leaves, winners and links, within 60 KB and without an error', async () => {
    const { node, url } = await joinShown('shown', '--location', 'a@delft', '--elect', 'master')
    let bytes = 0
    const page = await open(url, {}, async (opened) => {
      const session = await opened.context().newCDPSession(opened)
      await session.send('Network.enable')
      session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    })
    await expect.poll(async () => await text(page, 'members')).toBe('1')
    const others = [
      await join1('shown', '--bootstrap', node.address, '--location', 'b@leiden', '--tag', 'gpu=2'),
      await join1('shown', '--bootstrap', node.address, '--location', 'c@leiden'),
      await join1('shown', '--bootstrap', node.address, '--location', 'd@delft'),
    ] as const
    await expect.poll(async () => await text(page, 'members'), { timeout: 10_000 }).toBe('4')
    await expect.poll(async () => await text(page, 'roles')).toContain('master')
    await expect.poll(async () => await text(page, 'links'), { timeout: 15_000 }).toBe('6')
    expect(await page.locator('.site').allTextContents()).toEqual(['delft', 'leiden'])
    expect(await text(page, 'health')).toBe('well')

    others[0].child.kill('SIGKILL')
    const dead = shortId(others[0].id)
    await expect.poll(async () => await text(page, 'log'), { timeout: 30_000 }).toContain(`died${dead}`)
    await expect.poll(async () => await text(page, 'members')).toBe('3')
    // The table is drawn with the next frame.
    await expect.poll(async () => (await rows(page)).filter((row) => row.includes('died'))).toMatchObject([expect.stringContaining(dead)])
    others[1].send({ command: 'leave' })
    await expect.poll(async () => await text(page, 'log'), { timeout: 10_000 }).toContain(`left${shortId(others[1].id)}`)
    await expect.poll(async () => await text(page, 'members')).toBe('2')

    console.log(`${bytes} bytes`)
    expect(bytes).toBeGreaterThan(1_000)
    expect(bytes).toBeLessThan(BYTES_LIMIT)
    expect(problems).toEqual([])
    // After the leave the page says so. An error about the connection is expected.
    node.send({ command: 'leave' })
    expect(await node.exited).toBe(0)
    await expect.poll(async () => await text(page, 'live')).toMatch(/has left|no answer/u)
    await page.close()
  })

  it('works with keys, in the dark or light mode of the system or the user, wide and narrow', async () => {
    const { node, url } = await joinShown('keys', '--location', 'a@delft')
    const other = await join1('keys', '--bootstrap', node.address, '--location', 'b@leiden')
    const page = await open(url, { colorScheme: 'dark' })
    await expect.poll(async () => await text(page, 'members'), { timeout: 10_000 }).toBe('2')
    const back = async (): Promise<string> => await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await back()
    await page.keyboard.press('t')
    const light = await back()
    expect(light).not.toBe(dark)
    await page.reload()
    await expect.poll(back).toBe(light)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await back()).toBe(light)

    await expect.poll(async () => (await rows(page)).length).toBe(2)
    const selected = async (): Promise<string[]> => await page.locator('.line.selected .node').allTextContents()
    await page.keyboard.press('j')
    expect(await selected()).toEqual([shortId(node.id)])
    await page.keyboard.press('ArrowDown')
    expect(await selected()).toEqual([shortId(other.id)])
    await page.keyboard.press('k')
    expect(await selected()).toEqual([shortId(node.id)])
    await page.keyboard.press('/')
    await page.keyboard.type('leiden')
    await expect.poll(async () => (await rows(page)).length).toBe(1)
    expect(await text(page, 'shown')).toBe('1 of 2')
    await page.keyboard.press('Escape')
    await expect.poll(async () => (await rows(page)).length).toBe(2)
    await page.keyboard.press('?')
    expect(await page.locator('#help').isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.locator('#help').isVisible()).toBe(false)

    await page.setViewportSize({ width: 380, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380)
    expect(problems).toEqual([])
    await page.close()
  })

  it('shows leases, groups that wait and services, and draws an attribute while its panel is open', async () => {
    const { node, url } = await joinShown('shared', '--offer', 'cpus=4', '--runs', 'members', '--location', 'a@delft')
    const end = node.id.slice(-8)
    const other = await join1('shared', '--bootstrap', node.address, '--location', 'b@leiden')
    const page = await open(url, { colorScheme: 'dark' })
    await expect.poll(async () => await text(page, 'leases'), { timeout: 10_000 }).toContain(`…${end}offers`)
    node.send({ command: 'lease', node: end, amounts: { cpus: 3 }, for: 600_000, id: 'l' })
    await node.answer('l')
    await expect.poll(async () => await text(page, 'leases'), { timeout: 10_000 }).toMatch(/lease 1cpus=3, …\w{8}, ends in 9 min 5\d s/u)
    const running = { command: 'run', name: 'forever.js', source: 'setInterval(() => {}, 1000)', count: 1, timeout: 60_000 }
    node.send({ ...running, id: 'one' })
    await expect.poll(async () => await text(page, 'leases'), { timeout: 20_000 }).toContain('rank 0 of 1, running')
    node.send({ ...running, id: 'two' })
    await expect.poll(async () => await text(page, 'leases'), { timeout: 20_000 }).toMatch(/holding: 0 of 1 held, 1 waits/u)
    const waits = page.locator('#leases tr.part.waiting')
    expect(await waits.textContent()).toMatch(/waits for forever\.js \w{8} \(running\) {2}a@delft$/u)
    const alone = await joinPool('shared', { listen: ['/ip4/127.0.0.1/tcp/0'], mdns: false, bootstrap: [node.address] })
    try {
      await service(alone, 'counter', { initial: 0, apply: (state: number, by: number) => [state + by, state + by] })
      await expect
        .poll(async () => await text(page, 'leases'), { timeout: 20_000 })
        .toMatch(/counter 1\.0\.0.*DEGRADED: there is no backup/u)
    } finally {
      await alone.leave()
    }

    // Letters in a field are no keys.
    await page.keyboard.press('w')
    await page.keyboard.type('process.memory.usage')
    expect(await page.inputValue('#watch input')).toBe('process.memory.usage')
    await page.keyboard.press('Enter')
    await expect.poll(async () => await page.locator('#watch polyline').count(), { timeout: 10_000 }).toBe(2)
    const points = async (): Promise<number> =>
      ((await page.locator('#watch polyline').first().getAttribute('points')) ?? '').split(' ').filter(Boolean).length
    await expect.poll(points, { timeout: 10_000 }).toBeGreaterThan(3)
    const legend = await page.locator('#watch .legend .site').allTextContents()
    for (const id of [node.id, other.id])
      expect(legend).toContainEqual(expect.stringMatching(new RegExp(`^${shortId(id)} [\\d.]+ M$`, 'u')))
    expect(await page.locator('#watch svg').getAttribute('aria-label')).toMatch(/^2 members, from 0 to [\d.]+ M By$/u)
    expect(await page.locator('#watch datalist option').count()).toBeGreaterThan(5)
    for (const [name, width] of [
      ['wide', 1440],
      ['narrow', 390],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      const folder = process.env['PICTURES']
      if (folder !== undefined) await page.screenshot({ path: join(folder, `shared-${name}.png`), fullPage: true })
    }
    await page.locator('#watch summary').click()
    const closed = await points()
    await page.waitForTimeout(2_500)
    expect(await points()).toBe(closed)
    // The drawing of another attribute has no values of this one.
    await page.locator('#watch summary').click()
    await page.fill('#watch input', 'system.cpu.utilization')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => await page.locator('#watch svg').getAttribute('aria-label'), { timeout: 10_000 })
      .toMatch(/^2 members, from 0 to [\d.]+$/u)
    expect(await text(page, 'log')).not.toMatch(/leases|services/u)
    expect(problems).toEqual([])
    await page.close()
  })

  it('shows the jobs of a real node and their tasks, and Tab leads there with a visible focus', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jel-page-'))
    try {
      const file = join(folder, 'program.js')
      writeFileSync(file, PROGRAM)
      const args = ['work', 'worked', '--json', '--workers', '1', '--http', '127.0.0.1:0', '--owner', join(folder, 'owner'), ...loopback]
      const node = new JelProcess(args, 'pipe', script, { XDG_CACHE_HOME: folder })
      await node.until(() => node.of('http').length > 0, 'http')
      const page = await open(node.of('http')[0]!.url)
      await expect.poll(async () => await text(page, 'live')).toBe('live')
      expect(await page.locator('#jobs').isVisible()).toBe(false)
      const inputs = Array.from({ length: 400 }, (_, n) => n)
      node.send({ command: 'map', id: 1, file, function: 'busy', inputs, name: 'small sweep', keepGoing: true, until: 'ended' })
      await expect.poll(async () => await text(page, 'jobs'), { timeout: 30_000 }).toContain('small sweep')
      await expect.poll(async () => await page.locator('#stream .strip').count(), { timeout: 30_000 }).toBe(1)
      await expect.poll(async () => await page.locator('.stream .legend').textContent(), { timeout: 30_000 }).toMatch(/busy \d+ %/u)
      expect(await page.locator('#jobs tr.function', { hasText: 'busy' }).textContent()).toMatch(/\d+ % of the time$/u)
      const cells = page.locator('#stream .cells')
      await expect
        .poll(async () => await cells.getAttribute('aria-label'), { timeout: 30_000 })
        .toMatch(/^busy in \d+ of 60 s, [01]\.\d busy, busy for \d+ s, .*1 failed$/u)
      expect(await cells.evaluate((strip) => getComputedStyle(strip).backgroundImage)).toMatch(/^linear-gradient.*color/u)

      const reached = new Map<string, string>()
      for (let press = 0; press < 40 && !reached.has('stream'); press += 1) {
        await page.keyboard.press('Tab')
        const [id, outline] = await page.evaluate(() => {
          const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!)
          return [document.activeElement!.id, `${outlineStyle} ${outlineWidth}`] as const
        })
        if (['theme', 'search', 'table', 'jobs', 'stream'].includes(id)) reached.set(id, outline)
      }
      expect([...reached.keys()]).toEqual(['theme', 'search', 'table', 'jobs', 'stream'])
      expect(new Set(reached.values())).toEqual(new Set(['solid 2px']))
      // The rows change each second, and the focus stays.
      await page.waitForTimeout(2_500)
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('stream')

      await expect.poll(async () => await text(page, 'jobs'), { timeout: 60_000 }).toContain('done, after')
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
      expect(problems).toEqual([])
      await page.close()
    } finally {
      await removeFolder(folder)
    }
  })

  it('draws 1,000 members smoothly while they come and go, beside jobs with 10,000 tasks a second', async () => {
    const { url } = await joinShown('large')
    const page = await open(url, {}, async (opened) => void (await opened.addInitScript(simulate)))
    await expect.poll(async () => Number(await text(page, 'members')), { timeout: 20_000 }).toBeGreaterThan(900)
    await expect.poll(async () => Number(await text(page, 'links')), { timeout: 20_000 }).toBeGreaterThan(3_000)
    let frames = 0
    for (let turn = 0; turn < 3 && frames < LEAST_FRAMES; turn += 1) frames = Math.max(frames, await framesOf(page))
    console.log(`${frames.toFixed(1)} frames a second at 1,000 members, 20 changes and 10,000 tasks a second`)
    expect(await page.locator('#jobs tbody tr.job').count()).toBe(20)
    expect(await page.locator('#stream .strip').count()).toBe(16)
    expect(frames).toBeGreaterThanOrEqual(LEAST_FRAMES)
    const lines = await page.locator('.body .line').count()
    expect(lines).toBeLessThan(100)
    expect(problems).toEqual([])
    await page.close()
  })
})

/** Returns how many frames a second the page draws for five seconds. */
async function framesOf(page: Page): Promise<number> {
  return await page.evaluate(
    async () =>
      await new Promise<number>((resolve) => {
        let count = 0
        const begin = performance.now()
        const frame = (now: number): void => {
          count += 1
          if (now - begin < 5_000) requestAnimationFrame(frame)
          else resolve((count / (now - begin)) * 1000)
        }
        requestAnimationFrame(frame)
      }),
  )
}

/**
 * Runs in the page. Replaces the node's stream by a simulated pool of 1,000 members with twenty
 * changes a second, and twenty jobs with 500 tasks a second each.
 */
function simulate(): void {
  class Simulated extends EventTarget {
    onopen: (() => void) | undefined
    onmessage: ((event: { data: string }) => void) | undefined
    constructor() {
      super()
      const node = (i: number): object => ({
        id: `12D3KooW${String(i).padStart(8, '0')}`,
        incarnation: 1,
        addresses: [`/ip4/10.0.0.1/tcp/${i}`],
        location: `node${i}@rack${i % 40}@site${i % 7}`,
        tag: '',
      })
      const idOf = (i: number): string => `12D3KooW${String(i).padStart(8, '0')}`
      const tell = (event: object): void => this.onmessage?.({ data: JSON.stringify({ time: Date.now(), pool: 'large', ...event }) })
      const health = { links: 12, members: 1_000, suspectedShare: 0, relayed: 0, alone: false, minority: false, introducers: [] }
      const linksOf = (i: number): [string, number][] => [1, 7, 31, 113, 251, 499].map((step) => [idOf((i + step) % 1_000), step % 9])
      setTimeout(() => {
        this.onopen?.()
        const members = Array.from({ length: 1_000 }, (_, i) => ({ ...node(i), state: 'here', since: Date.now() - i * 1_000 }))
        const figures = { workers: 8, busy: 5, memory: 90_000_000, traffic: 12_345 }
        const reports = members.map((_, i) => [idOf(i), { links: linksOf(i), figures }])
        const reigns = [{ election: 'master', epoch: 1, node: node(1) }]
        const past = { sizes: [], detections: [], events: [] }
        tell({ event: 'snapshot', version: '0', started: Date.now(), node: node(0), members, reigns, health, reports, ...past })
        let finished = 0
        const part = (of: number): object => ({
          begun: finished,
          finished: finished / of,
          failed: 0,
          running: 8,
          waiting: 100,
          ran: finished * 4,
        })
        const job = (number: number): object => ({
          job: `job${number}`,
          name: `sweep ${number}`,
          owner: idOf(number),
          state: 'active',
          reason: '',
          covered: Math.min(1, finished / 1e7),
          members: 1_000,
          begun: finished,
          finished,
          rate: 500,
          submitted: Date.now() - 60_000,
          tasks: [],
          functions: Array.from({ length: 16 }, (_, each) => ({ fn: `f${each}`, ...part(16) })),
          workers: Array.from({ length: 64 }, (_, each) => ({
            member: idOf(number * 40 + each),
            ...part(64),
            functions: Array.from({ length: 4 }, (_, kind) => ({ fn: `f${(each + kind) % 16}`, ...part(256) })),
          })),
        })
        setInterval(() => {
          finished += 500
          tell({ event: 'jobs', jobs: Array.from({ length: 20 }, (_, number) => job(number)), more: 0 })
        }, 1_000)
        let turn = 0
        setInterval(() => {
          turn += 1
          const i = 2 + ((Math.floor(turn / 2) * 37) % 998)
          tell({ event: turn % 2 === 0 ? 'joined' : 'died', node: node(i) })
          tell({ event: 'neighbours', of: idOf(i), links: linksOf(i) })
        }, 50)
      }, 50)
    }
    close(): void {}
  }
  Object.assign(window, { EventSource: Simulated })
}
