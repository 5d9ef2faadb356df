import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { join1, JelProcess, loopback } from './jel-process.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
const LATE = { timeout: 30_000 }
const file = join(import.meta.dirname, 'fixtures/volunteered.ts')

let browser: Browser
const problems: string[] = []

interface Pool {
  readonly name: string
  readonly server: JelProcess
  readonly url: string
}

async function pool(name: string): Promise<Pool> {
  const server = await join1(name, '--web', '127.0.0.1:0')
  await server.until(() => server.of('web').length > 0, 'web')
  return { name, server, url: server.of('web')[0]?.urls[0] ?? '' }
}

/** A node that runs programs of all owners in sandboxes. */
async function worker({ name, server }: Pool): Promise<JelProcess> {
  const node = new JelProcess(['work', name, '--accept', 'sandbox', '--json', '--bootstrap', server.address, '--workers', '1', ...loopback])
  await node.until(() => node.of('started').length > 0, 'started')
  return node
}

async function open({ url }: Pool): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && problems.push(message.text())))
  page.on('pageerror', (error) => void problems.push(error.message))
  await page.goto(url)
  await expect.poll(async () => await page.locator('.volunteer').isVisible(), LATE).toBe(true)
  return page
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const status = async (page: Page): Promise<string> => (await page.locator('.volunteer [role=status]').textContent()) ?? ''
const figures = async (page: Page): Promise<string> => (await page.locator('.volunteer .figures').textContent()) ?? ''
const tasksOf = async (page: Page): Promise<number> => Number(/tasks: (\d+)/u.exec(await figures(page))?.[1] ?? 0)

async function compute(page: Page, cores = 1): Promise<void> {
  await page.getByLabel('cores of').fill(String(cores))
  await button(page, 'lend cores').click()
  await expect.poll(async () => await status(page), LATE).toContain('waits for a job')
}

function submit({ name, server }: Pool, fn: string, input: string, ...args: string[]): JelProcess {
  return new JelProcess(['submit', name, file, fn, input, '--bootstrap', server.address, '--timeout', '120', ...args, ...loopback])
}

async function resultOf(submitted: JelProcess): Promise<unknown> {
  if ((await submitted.exited) !== 0) throw new Error(submitted.stderr)
  return JSON.parse(submitted.lines.join('\n'))
}

describe.skipIf(executablePath === undefined)('a tab that computes (skipped where there is no chromium)', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] })
  })
  afterAll(async () => await browser?.close())
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close()
    problems.splice(0)
  })

  it('votes with a node on each task, and shows what it does', { timeout: 120_000 }, async () => {
    const on = await pool('voted')
    const [page] = [await open(on), await worker(on)]
    expect(await status(page)).toBe('')
    await compute(page)
    const job = submit(on, 'sum', '60', '--name', 'squares', '--votes', '2')
    await expect.poll(async () => await status(page), LATE).toContain('works for squares of')
    expect(await resultOf(job)).toBe(70_210)
    await expect.poll(async () => await tasksOf(page), LATE).toBeGreaterThanOrEqual(30)
    await button(page, 'stop computing').click()
    await expect.poll(async () => await status(page), LATE).toBe('stopped')
    expect(await tasksOf(page)).toBeGreaterThanOrEqual(30)
    expect(await page.locator('iframe').count()).toBe(0)
    expect(problems).toEqual([])
  })

  it('can not change a result by lying', { timeout: 120_000 }, async () => {
    const on = await pool('lied')
    const [page] = [await open(on), await worker(on), await worker(on)]
    // This tab computes another program than the others.
    await page.route('**/frame.html', async (route) => {
      const response = await route.fetch()
      const lie =
        'const d=TextDecoder.prototype.decode;TextDecoder.prototype.decode=function(...a){return d.apply(this,a).replace(`number ** 2`,`number ** 3`)};'
      const [head = '', ...rest] = (await response.text()).split('const PROGRAM=')
      const body = [head, ...rest.map((text) => text.replace(';', `;${lie}`))].join('const PROGRAM=')
      await route.fulfill({ response, body })
    })
    await compute(page)
    const job = submit(on, 'sum', '60', '--votes', '2')
    await expect.poll(async () => await tasksOf(page), LATE).toBeGreaterThan(0)
    expect(await resultOf(job)).toBe(70_210)
  })

  it('gives a program nothing of the page, and no network', { timeout: 120_000 }, async () => {
    const on = await pool('closed')
    const [page] = [await open(on), await worker(on)]
    await compute(page)
    // The node's sandbox gives the same answer, or there would be no result.
    expect(await resultOf(submit(on, 'reached', 'null', '--votes', '2'))).toEqual([])
    // A program that has left its compartment is in a worker of the frame.
    const frame = page.frames().find((each) => each.url().endsWith('frame.html'))
    const { origin } = new URL(on.url)
    const ways: Record<string, string> = {
      fetch: `await fetch('${origin}/')`,
      'fetch elsewhere': `await fetch('http://127.0.0.1:1/', { mode: 'no-cors' })`,
      xhr: `await new Promise((ok, no) => { const x = new XMLHttpRequest(); x.open('GET', '${origin}/'); x.onload = ok; x.onerror = no; x.send() })`,
      websocket: `await new Promise((ok, no) => { const s = new WebSocket('${origin.replace('http', 'ws')}/ws'); s.onopen = ok; s.onerror = no })`,
      eventsource: `await new Promise((ok, no) => { const s = new EventSource('${origin}/'); s.onopen = ok; s.onerror = no })`,
      importScripts: `importScripts('${origin}/main.js')`,
      import: `await import('${origin}/main.js')`,
      indexedDB: `await new Promise((ok, no) => { const r = indexedDB.open('x'); r.onsuccess = ok; r.onerror = no })`,
      caches: `await caches.open('x')`,
      webtransport: `await new WebTransport('https://127.0.0.1:1/').ready`,
      webrtc: `new RTCPeerConnection()`,
      'nested worker': `await new Promise((ok, no) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('${origin}/').then(() => postMessage(1), () => postMessage(0))"]))); w.onmessage = ({ data }) => (data ? ok() : no(new Error('refused'))); w.onerror = no })`,
    }
    const open_ = await frame?.evaluate(async (given) => {
      const passed: string[] = []
      for (const [name, code] of Object.entries(given)) {
        const text = `(async () => { ${code} })().then(() => postMessage('passed'), () => postMessage('refused'))`
        const source = URL.createObjectURL(new Blob([text]))
        const answer = await new Promise((resolve) => {
          const tried = new Worker(source)
          tried.onmessage = ({ data }) => resolve(data)
          tried.onerror = () => resolve('refused')
          setTimeout(() => resolve('silent'), 3_000)
        })
        if (answer !== 'refused') passed.push(`${name}: ${String(answer)}`)
      }
      return passed
    }, ways)
    expect(open_).toEqual([])
  })

  it('ends an endless loop at once', { timeout: 120_000 }, async () => {
    const on = await pool('endless')
    // No other member may hold the only task.
    const page = await open(on)
    await compute(page)
    const job = submit(on, 'forever', 'null', '--votes', '2')
    await expect.poll(async () => await status(page), LATE).toContain('works for')
    const devtools = await browser.newBrowserCDPSession()
    /** The share of a core that all pages of the browser take in this time. */
    const usedIn = async (time: number): Promise<number> => {
      const used = async (): Promise<number> => {
        const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
        return processInfo.reduce((sum, { type, cpuTime }) => sum + (type === 'renderer' ? cpuTime : 0), 0)
      }
      const before = await used()
      await page.waitForTimeout(time)
      return ((await used()) - before) / (time / 1000)
    }
    await expect.poll(async () => await usedIn(500), LATE).toBeGreaterThan(0.5)
    await button(page, 'stop computing').click()
    await page.waitForTimeout(200)
    expect(await usedIn(1_000)).toBeLessThan(0.3)
    job.child.kill('SIGKILL')
  })

  it('computes for a job that began long before, at other members', { timeout: 120_000 }, async () => {
    const on = await pool('late')
    await Promise.all(Array.from({ length: 4 }, async () => await worker(on)))
    const job = submit(on, 'sum', '1000', '--votes', '2')
    // The replicas are chosen, and a tab that comes now fetches the program.
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    const page = await open(on)
    await compute(page)
    await expect.poll(async () => await tasksOf(page), LATE).toBeGreaterThan(0)
    job.child.kill('SIGKILL')
  })

  it('goes on in a new frame if a program ended the process of the frame', { timeout: 120_000 }, async () => {
    const on = await pool('crashed')
    const [page] = [await open(on), await worker(on)]
    await compute(page)
    expect(await resultOf(submit(on, 'sum', '10', '--votes', '2'))).toBe(285)
    const devtools = await browser.newBrowserCDPSession()
    const { targetInfos } = await devtools.send('Target.getTargets')
    const { targetId = '' } = targetInfos.find(({ type, url }) => type === 'iframe' && url.endsWith('frame.html')) ?? {}
    await devtools
      .send('Target.attachToTarget', { targetId, flatten: false })
      .then(
        async ({ sessionId }) =>
          await devtools.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: 1, method: 'Page.crash' }) }),
      )
    expect(await resultOf(submit(on, 'sum', '20', '--votes', '2'))).toBe(2_470)
  })

  it('says so if its frame can not be loaded', { timeout: 60_000 }, async () => {
    const on = await pool('frameless')
    const page = await open(on)
    await page.route('**/frame.html', async (route) => await route.abort())
    await button(page, 'lend cores').click()
    await expect.poll(async () => await status(page), LATE).toContain('could not begin')
    expect(await button(page, 'lend cores').isVisible()).toBe(true)
    expect(await page.locator('iframe').count()).toBe(0)
  })

  it('goes on if the user stops and begins again at once', { timeout: 60_000 }, async () => {
    const on = await pool('clicked')
    const [page] = [await open(on), await worker(on)]
    await compute(page)
    await page.evaluate(() => {
      const found = document.querySelector<HTMLButtonElement>('.volunteer button')
      found?.click()
      found?.click()
    })
    expect(await resultOf(submit(on, 'sum', '20', '--votes', '2'))).toBe(2_470)
    expect(await page.locator('iframe').count()).toBe(1)
  })

  it('takes another number of cores, and stops in all tabs of a browser', { timeout: 120_000 }, async () => {
    const on = await pool('cores')
    const [page] = [await open(on), await worker(on)]
    await compute(page)
    await page.getByLabel('cores of').fill('2')
    await page.keyboard.press('Tab')
    expect(await resultOf(submit(on, 'sum', '20', '--votes', '2'))).toBe(2_470)
    expect(await page.locator('iframe').count()).toBe(1)
    const second = await page.context().newPage()
    await second.goto(on.url)
    await button(second, 'stop computing').click()
    await expect.poll(async () => await button(page, 'lend cores').isVisible(), LATE).toBe(true)
    expect(await page.locator('iframe').count()).toBe(0)
  })

  it('outlives a program that takes all memory', { timeout: 180_000 }, async () => {
    const on = await pool('full')
    // No other member may hold the only task.
    const page = await open(on)
    await compute(page)
    const id = on.server.of('joined').find(({ node }) => node.reach === 'tab')?.node.id
    const job = submit(on, 'fill', '6000', '--votes', '2')
    await expect.poll(async () => await status(page), LATE).toContain('works for')
    await new Promise((resolve) => setTimeout(resolve, 15_000))
    job.child.kill('SIGKILL')
    expect(on.server.of('died').map(({ node }) => node.id)).not.toContain(id)
    expect(await page.locator('#members').textContent()).not.toBe('')
    await worker(on)
    expect(await resultOf(submit(on, 'sum', '20', '--votes', '2'))).toBe(2_470)
  })

  it('gives its tasks back if it is closed', { timeout: 120_000 }, async () => {
    const on = await pool('gone')
    const [page] = [await open(on), await worker(on), await worker(on)]
    await compute(page, 2)
    const job = submit(on, 'sum', '200', '--votes', '2')
    await expect.poll(async () => await tasksOf(page), LATE).toBeGreaterThan(5)
    await page.close()
    expect(await resultOf(job)).toBe(2_646_700)
  })

  it('gives its tasks back when the browser freezes it, and goes on after that', { timeout: 120_000 }, async () => {
    const on = await pool('frozen')
    const [page] = [await open(on), await worker(on), await worker(on)]
    await page.getByLabel('also when hidden').check()
    await compute(page, 2)
    const id = on.server.of('joined').find(({ node }) => node.reach === 'tab')?.node.id
    const job = submit(on, 'sum', '200', '--votes', '2')
    await expect.poll(async () => await tasksOf(page), LATE).toBeGreaterThan(5)
    // A page that is in front gets no event.
    const front = await page.context().newPage()
    await front.bringToFront()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Page.setWebLifecycleState', { state: 'frozen' })
    expect(await resultOf(job)).toBe(2_646_700)
    await devtools.send('Page.setWebLifecycleState', { state: 'active' })
    const next = submit(on, 'sum', '60', '--votes', '3')
    expect(await resultOf(next)).toBe(70_210)
    expect(await page.locator('iframe').count()).toBe(1)
    expect(on.server.of('died').map(({ node }) => node.id)).not.toContain(id)
  })

  it('stops while it is hidden, unless the user wants otherwise', { timeout: 60_000 }, async () => {
    const on = await pool('hidden')
    const page = await open(on)
    const hide = async (hidden: boolean): Promise<void> =>
      await page.evaluate((to) => {
        Object.defineProperty(document, 'hidden', { value: to, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await compute(page)
    await hide(true)
    await expect.poll(async () => await page.locator('iframe').count(), LATE).toBe(0)
    expect(await status(page)).toBe('paused while this tab is hidden')
    await hide(false)
    await expect.poll(async () => await status(page), LATE).toContain('waits for a job')
    await page.getByLabel('also when hidden').check()
    await hide(true)
    await page.waitForTimeout(1_500)
    expect(await page.locator('iframe').count()).toBe(1)
    await page.reload()
    await expect.poll(async () => await page.locator('.volunteer').isVisible(), LATE).toBe(true)
    await page.waitForTimeout(1_500)
    expect(await status(page)).toBe('')
  })
})
