/**
 * Tabs of real browsers as members, on the page that nodes serve: how soon do they take part, what
 * do others notice of their end, and does a hidden or frozen tab stay?
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { jelBin } from '../base/paths.ts'
import { median } from '../base/quantiles.ts'
import { keep } from '../base/child.ts'
import { flag, seconds, UsageError, whole } from '../base/settings.ts'
import { areMet, targetLines, type Figure } from '../base/targets.ts'
import { bench } from '../bench/bench.ts'
import type { ProcessNode } from '../swarm/process-node.ts'
import { ProcessSwarm, type Report } from '../swarm/process-swarm.ts'

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
/** Longest wait for news, ms. */
const NEWS = 20_000
const MINUTE = 60_000
/** A tab is frozen for this time, ms. */
const FROZEN = 30_000

/** A tab, and the member behind it. Each has storage of its own, so each is a member. */
interface Tab {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  readonly id: string
  /** Time from the start of the page's script until all nodes knew the tab, ms. */
  readonly took: number
}

class Pool {
  readonly swarm = new ProcessSwarm({ bin: jelBin, name: 'tabs', told: (report) => this.#told(report) })
  /** Reports of ends by the members' ids, with the times at which nodes reported them. */
  readonly #ends = new Map<string, number[]>()
  readonly #joins: { readonly id: string; readonly time: number }[] = []
  readonly problems: string[] = []
  #url = ''

  async start(count: number): Promise<void> {
    const first = await this.swarm.startOne({ args: ['--web', '127.0.0.1:0'] })
    const introducer = first.process.address
    await Promise.all(
      Array.from({ length: count - 1 }, async () => await this.swarm.startOne({ introducer, args: ['--web', '127.0.0.1:0'] })),
    )
    const members = (await first.answer({ command: 'members' })).nodes ?? []
    const port = members.find(({ id }) => id === first.id)?.addresses.flatMap((each) => /\/tcp\/(\d+)\/ws/u.exec(each)?.[1] ?? [])[0]
    this.#url = `http://127.0.0.1:${port}/#tabs`
  }

  async open(browser: Browser): Promise<Tab> {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && this.problems.push(message.text())))
    page.on('pageerror', ({ message }) => void this.problems.push(message))
    await page.goto(this.#url)
    await page.waitForFunction(() => document.querySelector('#live')?.textContent === 'live', undefined, { timeout: NEWS })
    const id = (await page.getAttribute('#self', 'title'))?.split('\n')[0] ?? ''
    const began = await page.evaluate(
      () => performance.timeOrigin + (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).domInteractive,
    )
    const known = await this.#until(() => this.#joins.filter((each) => each.id === id), this.swarm.running.length)
    return { browser, context, page, id, took: known - began }
  }

  /** Returns the time until all nodes had noticed the end of a member, ms. */
  async noticed(id: string, began: number): Promise<number> {
    const known = await this.#until(() => (this.#ends.get(id) ?? []).map((time) => ({ time })), this.swarm.running.length)
    return known - began
  }

  isGone(id: string): boolean {
    return this.#ends.has(id)
  }

  /**
   * Number of reports by nodes that one of these tabs or a node ended. Clients do not count: they
   * come and go.
   */
  endsOf(tabs: readonly Tab[]): number {
    const ids = [...tabs, ...this.swarm.nodes].map(({ id }) => id)
    return ids.reduce((sum, id) => sum + (this.#ends.get(id)?.length ?? 0), 0)
  }

  async #until(reports: () => readonly { readonly time: number }[], count: number): Promise<number> {
    await this.swarm.until(() => reports().length >= count, NEWS, 5)
    const times = reports().map(({ time }) => time)
    return times.length >= count ? Math.max(...times) : Infinity
  }

  #told({ event, about, time }: Report): void {
    if (event === 'joined') this.#joins.push({ id: about, time })
    else if (event === 'left' || event === 'died') this.#ends.set(about, [...(this.#ends.get(about) ?? []), time])
  }
}

const sizeAt = async ({ page }: Tab): Promise<number> => Number(await page.textContent('#members'))

/** Jobs with votes, one after the other, of a hidden tab and a node. */
class Jobs {
  readonly #tab: Tab
  /** The tasks of the tab, once a minute. */
  readonly #counts: number[] = []
  readonly #timer: NodeJS.Timeout
  #isOver = false

  private constructor(tab: Tab) {
    this.#tab = tab
    this.#timer = setInterval(() => void this.#count(), MINUTE)
  }

  static async start(pool: Pool, tab: Tab): Promise<Jobs> {
    const introducer = pool.swarm.running[0]?.process.address ?? ''
    await pool.swarm.startOne({ command: 'work', introducer, args: ['--workers', '1', '--accept', 'sandbox'] })
    await tab.page.getByLabel('also when hidden').check()
    await tab.page.getByRole('button', { name: 'lend cores' }).click()
    const jobs = new Jobs(tab)
    void jobs.#submit(introducer)
    return jobs
  }

  /** Returns the number of minutes without a new task. */
  async idleMinutes(): Promise<number> {
    this.#isOver = true
    clearInterval(this.#timer)
    await this.#count()
    return this.#counts.filter((count, index) => count <= (this.#counts[index - 1] ?? 0)).length
  }

  async #submit(introducer: string): Promise<void> {
    const program = fileURLToPath(new URL('../reach/waiting-program.ts', import.meta.url))
    const args = ['submit', 'tabs', program, 'all', '[100,20]', '--votes', '2', '--bootstrap', introducer, '--listen', '127.0.0.1:0']
    while (!this.#isOver) await once(keep(spawn(process.execPath, [jelBin, ...args], { stdio: 'ignore' })), 'exit')
  }

  async #count(): Promise<void> {
    const text = (await this.#tab.page.textContent('.volunteer .figures')) ?? ''
    this.#counts.push(Number(/tasks: (\d+)/u.exec(text)?.[1] ?? 0))
  }
}

export const experiment = bench({
  about: 'tabs of real browsers: how soon do they take part, and what do others notice of their end?',
  settings: {
    nodes: whole(5, 'nodes that serve the page', 2),
    tabs: whole(10, 'tabs, in two browsers', 4),
    hidden: seconds(60, 'seconds for which a tab is hidden'),
    compute: flag('the hidden tab computes meanwhile, for jobs with votes'),
  },
  notes: 'Exit status 1 if a figure exceeds its target. Needs chromium.',
  where: 'network',
  async measure(settings) {
    if (EXECUTABLE === undefined) throw new UsageError('there is no chromium here: apt-get install chromium')
    const pool = new Pool()
    const { swarm } = pool
    await pool.start(settings.nodes)
    const launch = async (): Promise<Browser> => await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'] })
    const browsers = [await launch(), await launch()]
    const tabs: Tab[] = []
    for (let i = 0; i < settings.tabs; i++) tabs.push(await pool.open(browsers[i % 2] as Browser))
    const all = settings.nodes + settings.tabs
    const rows: Figure[] = [
      {
        what: 'a tab, from the start of its script until all nodes know it, median, ms',
        value: median(tabs.map(({ took }) => took)),
        most: 500,
      },
      { what: 'the slowest tab, ms', value: Math.max(...tabs.map(({ took }) => took)), most: 1_500 },
    ]
    await delay(3_000)
    const sizes = await Promise.all(tabs.map(sizeAt))
    rows.push({ what: 'tabs that do not see all members', value: sizes.filter((size) => size !== all).length, most: 0 })

    const [front, hidden, frozen, closed] = tabs as [Tab, Tab, Tab, Tab]
    const before = pool.endsOf(tabs)
    // A second page of the same context in front hides the first.
    const jobs = settings.compute ? await Jobs.start(pool, hidden) : undefined
    await (await hidden.context.newPage()).bringToFront()
    await delay(settings.hidden)
    if (jobs !== undefined) rows.push({ what: 'minutes in which the hidden tab did no task', value: await jobs.idleMinutes(), most: 0 })
    rows.push({
      what: `ends that anybody noticed while a tab was hidden for ${settings.hidden / 1_000} s`,
      value: pool.endsOf(tabs) - before,
      most: 0,
    })
    const session = await frozen.context.newCDPSession(frozen.page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await delay(FROZEN)
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await delay(5_000)
    rows.push({ what: 'nodes without the tab 5 s after it was frozen for 30 s', value: await missing(swarm.running, frozen.id), most: 0 })

    let began = Date.now()
    await closed.page.close()
    rows.push({ what: 'a tab is closed: noticed by all nodes, ms', value: await pool.noticed(closed.id, began), most: 1_000 })
    const victims = tabs.filter(({ browser }) => browser === front.browser)
    began = Date.now()
    await front.browser.close()
    const times = await Promise.all(victims.filter(({ id }) => id !== closed.id).map(async ({ id }) => await pool.noticed(id, began)))
    rows.push({ what: `a browser with ${times.length} tabs ends: noticed by all nodes, ms`, value: Math.max(...times), most: 5_000 })
    rows.push({ what: 'errors in the consoles of the pages', value: pool.problems.length, most: 0 })
    for (const browser of browsers) await browser.close()
    rows.push({ what: 'deaths of running nodes', value: swarm.running.filter(({ id }) => pool.isGone(id)).length, most: 0 })
    await swarm.stop()
    return { rows, problems: pool.problems.slice(0, 5) }
  },
  table: ({ rows, problems }) => [...targetLines(rows), ...problems].join('\n'),
  passed: ({ rows }) => areMet(rows),
})

/** Returns the number of nodes that do not see a member. */
async function missing(nodes: readonly ProcessNode[], id: string): Promise<number> {
  const views = await Promise.all(nodes.map(async (node) => await node.members()))
  return views.filter((members) => members.every((member) => member.id !== id)).length
}
