import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { join1, type JelProcess } from './jel-process.ts'

/** The paths of Debian's chromium and of Google's. */
const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
const LATE = { timeout: 20_000 }
/** The limit of the files of the page, without that of the member, compressed, bytes. */
const BYTES_LIMIT = 60_000

let browser: Browser
const problems: string[] = []

async function open(url: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<{ page: Page; bytes: () => number }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options })
  page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && problems.push(message.text())))
  page.on('pageerror', (error) => void problems.push(error.message))
  let bytes = 0
  page.on('response', (response) => void (bytes += Number(response.headers()['content-length'] ?? 0)))
  await page.goto(url)
  return { page, bytes: () => bytes }
}

const text = async (page: Page, id: string): Promise<string> => (await page.textContent(`#${id}`)) ?? ''
const sees = async (node: JelProcess, reach: string): Promise<number> => {
  const before = node.of('members').length
  node.send({ command: 'members', id: 1 })
  await node.until(() => node.of('members').length > before, 'members')
  const nodes = node.of('members').at(-1)?.nodes ?? []
  return nodes.filter((each) => each.reach === reach && each.state === 'here').length
}

async function serving(pool: string, ...args: string[]): Promise<{ node: JelProcess; url: string }> {
  const node = await join1(pool, '--web', '127.0.0.1:0', ...args)
  await node.until(() => node.of('web').length > 0, 'web')
  return { node, url: node.of('web')[0]?.urls[0] ?? '' }
}

describe.skipIf(executablePath === undefined)('the page that makes a tab a member (skipped where there is no chromium)', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] })
  })
  afterAll(async () => await browser?.close())
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    problems.splice(0)
  })

  it('enters the pool in its address, shows it as the tab sees it, and leaves', { timeout: 90_000 }, async () => {
    const { node, url } = await serving('seen', '--location', 'a@delft', '--elect', 'master')
    await join1('seen', '--bootstrap', node.address, '--location', 'b@leiden')
    expect(new URL(url).hash).toBe('#seen')
    const { page, bytes } = await open(url)
    await expect.poll(async () => await text(page, 'members'), LATE).toBe('3')
    await expect.poll(async () => await text(page, 'live'), LATE).toBe('live')
    await expect.poll(async () => await text(page, 'roles'), LATE).toContain('master')
    await expect.poll(async () => await text(page, 'links'), LATE).toBe('3')
    await expect.poll(async () => await sees(node, 'tab'), LATE).toBe(1)
    console.log(`${bytes()} bytes`)
    // A page does not see the files of its worker.
    expect(bytes()).toBeGreaterThan(10_000)
    expect(bytes()).toBeLessThan(BYTES_LIMIT)

    await page.getByRole('button', { name: 'leave' }).click()
    await expect.poll(async () => await page.locator('#entrance').isVisible(), LATE).toBe(true)
    await expect.poll(() => node.of('left').length, LATE).toBe(1)
    expect(node.of('died')).toEqual([])
    await page.keyboard.press('Enter')
    await expect.poll(async () => await sees(node, 'tab'), LATE).toBe(1)
    await page.close()
    await expect.poll(() => node.of('left').length + node.of('died').length, LATE).toBe(2)
    expect(problems).toEqual([])
  })

  it('asks for a pool and its key, with the keyboard alone, on a phone', { timeout: 90_000 }, async () => {
    const { url } = await serving('asked')
    const { page } = await open(url.replace(/#.*$/u, ''), { viewport: { width: 380, height: 800 }, colorScheme: 'dark' })
    await expect.poll(async () => await page.getByRole('dialog', { name: 'enter a pool' }).isVisible(), LATE).toBe(true)
    await page.getByLabel('pool', { exact: true }).fill('another')
    await page.keyboard.press('Enter')
    await expect.poll(async () => await page.getByRole('alert').textContent(), LATE).toBe('There is no pool “another” at this address.')
    await page.getByLabel('pool', { exact: true }).fill('asked')
    await page.keyboard.press('Enter')
    await expect.poll(async () => await text(page, 'members'), LATE).toBe('2')
    expect(new URL(page.url()).hash).toBe('#asked')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(380)
    expect(problems).toEqual([])
  })

  it('asks for the key of a private pool at once, takes a whole file, and keeps it for a reload', { timeout: 90_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jel-web-'))
    const file = join(folder, 'pool.key')
    const digits = 'c7'.repeat(32)
    writeFileSync(file, `/key/swarm/psk/1.0.0/\n/base16/\n${digits}\n`, { mode: 0o600 })
    const { url } = await serving('secret', '--key-file', file)
    const { page } = await open(url)
    const problem = async (): Promise<string | null> => await page.getByRole('alert').textContent()
    await expect.poll(problem, LATE).toBe('The pool at this address asks for a key.')
    const key = page.getByLabel('key of a private pool')
    await key.fill('ab'.repeat(32))
    await page.keyboard.press('Enter')
    await expect.poll(problem, LATE).toBe('This key does not fit.')
    // A field of one line turns the ends of lines into spaces.
    await key.fill(readFileSync(file, 'utf8').replaceAll('\n', ' '))
    await page.keyboard.press('Enter')
    await expect.poll(async () => await text(page, 'members'), LATE).toBe('2')
    await page.reload()
    await expect.poll(async () => await text(page, 'live'), LATE).toBe('live')
    expect(await page.getByRole('dialog', { name: 'enter a pool' }).isVisible()).toBe(false)
    rmSync(folder, { recursive: true })
    expect(problems).toEqual([])
  })

  it('is one member for all tabs of a browser', { timeout: 90_000 }, async () => {
    const { node, url } = await serving('shared')
    const context = await browser.newContext()
    const pages = [await context.newPage(), await context.newPage()]
    for (const page of pages) await page.goto(url)
    for (const page of pages) await expect.poll(async () => await text(page, 'members'), LATE).toBe('2')
    expect(await sees(node, 'tab')).toBe(1)
    await pages[0]?.close()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect([...node.of('left'), ...node.of('died')]).toEqual([])
  })

  it('shows nothing else of its node', async () => {
    const { url } = await serving('closed')
    for (const path of ['/metrics', '/health', '/ready', '/events', '/page.js', '/../package.json', '/static/page.css'])
      expect((await fetch(new URL(path, url))).status).toBe(404)
    const page = await fetch(url)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  })
})
