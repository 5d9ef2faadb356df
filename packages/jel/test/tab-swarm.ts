/** Pools of hosts in this process and of tabs in Chromium, for the acceptance suite. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  realTime,
  type Swarm,
  type SwarmEvent,
  type SwarmMember,
  type SwarmNode,
  type SwarmRecord,
  type SwarmReign,
  type SwarmSpawnOptions,
} from '@jel/conformance'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
// oxlint-disable-next-line no-restricted-imports -- the bundle is made by a script of the repository
import { fileForBrowser } from '../../../scripts/browser-bundle.ts'
import { joinPool } from '../src/index.ts'
import { RealNode } from './real-swarm.ts'

/** The paths of Debian's chromium and of Google's. Undefined: there is none. */
export const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)

const isWeb = (address: string): boolean => address.includes('/ws')
const unable = async (what: string): Promise<never> => await Promise.reject(new Error(`this swarm can't ${what}`))

let code: Promise<string> | undefined
/** All swarms share one browser. Each tab has storage of its own. */
let browser: Promise<Browser> | undefined

/** Ends the browser of all swarms. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** Serves a page that has the library. */
export async function servePage(): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  code ??= fileForBrowser(fileURLToPath(new URL('tab-program.ts', import.meta.url)))
  const script = await code
  return ({ url }, response) => {
    const isCode = url === '/main.js'
    response
      .writeHead(200, { 'content-type': isCode ? 'text/javascript' : 'text/html' })
      .end(isCode ? script : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>')
  }
}

/** Opens the page of a member, whose address for browsers this is. `onProblem` gets its errors. */
export async function openPage(context: BrowserContext, address: string, onProblem: (problem: string) => void = () => {}): Promise<Page> {
  const page = await context.newPage()
  page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && onProblem(message.text())))
  page.on('pageerror', ({ message }) => onProblem(message))
  await page.goto(`http://127.0.0.1:${/tcp\/(\d+)/u.exec(address)?.[1]}/`)
  await page.waitForFunction(() => 'enter' in globalThis)
  return page
}

/** Every other node is a tab. The first node, and each without introducers, is a host. */
export class TabSwarm implements Swarm<RealNode | TabNode> {
  readonly #name = `tabs-${randomUUID()}`
  readonly #folder: string
  readonly #browser: Browser
  readonly #nodes: (RealNode | TabNode)[] = []
  #started = 0

  private constructor(folder: string, browser: Browser) {
    this.#folder = folder
    this.#browser = browser
  }

  static async create(): Promise<TabSwarm> {
    browser ??= chromium.launch({ executablePath: executablePath as string, args: ['--no-sandbox'] })
    return new TabSwarm(await mkdtemp(join(tmpdir(), 'jel-tabs-')), await browser)
  }

  async spawn({ introducers = [], identityOf, ...options }: SwarmSpawnOptions<RealNode | TabNode> = {}): Promise<RealNode | TabNode> {
    const number = this.#started++
    const isWanted = number % 2 === 1 && introducers.some((node) => node instanceof TabNode || node.isRunning)
    const isTab = identityOf === undefined ? isWanted : identityOf instanceof TabNode
    const node = isTab
      ? await this.#tab(introducers, options, identityOf as TabNode | undefined)
      : await this.#host(introducers, options, join(this.#folder, String(number)), identityOf as RealNode | undefined)
    this.#nodes.push(node)
    return node
  }

  async #host(
    introducers: readonly SwarmNode[],
    options: Pick<SwarmSpawnOptions, 'location' | 'tag'>,
    file: string,
    identityOf: RealNode | undefined,
  ): Promise<RealNode> {
    const identityFile = identityOf === undefined ? file : await identityOf.copyIdentity(file)
    const bootstrap = introducers.flatMap((node) => (node instanceof RealNode ? node.address : this.#hosts.map(({ address }) => address)))
    const pool = await joinPool(this.#name, {
      ...options,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      web: { listen: '127.0.0.1:0', serve: await servePage() },
      // Nobody dials a tab. A node that gets one enters through any host.
      bootstrap,
      identityFile,
    })
    return new RealNode({ pool, crash: async () => await pool.libp2p.stop() }, identityFile)
  }

  async #tab(
    introducers: readonly SwarmNode[],
    { location, tag }: Pick<SwarmSpawnOptions, 'location' | 'tag'>,
    former: TabNode | undefined,
  ): Promise<TabNode> {
    const hosts = introducers
      .flatMap((node) => (node instanceof RealNode ? [node] : this.#hosts))
      .flatMap(({ addresses }) => addresses.filter(isWeb))
    const server = this.#hosts.flatMap(({ addresses }) => addresses.filter(isWeb))[0] ?? hosts[0] ?? ''
    const context = former?.context ?? (await this.#browser.newContext())
    const page = await openPage(context, server)
    const told: [SwarmEvent[], ...SwarmEvent[][]] = [[]]
    await page.exposeFunction('told', (event: unknown, list: number) => void told[list]?.push(revive(event) as SwarmEvent))
    const options = {
      bootstrap: hosts,
      identityFile: 'tab',
      ...(location !== undefined && { location }),
      ...(tag !== undefined && { bytes: [...tag] }),
    }
    await page.evaluate(async ([name, given]) => await globalThis.enter(name, given), [this.#name, options] as const)
    const id = await page.evaluate(() => globalThis.pool?.self.id ?? '')
    return new TabNode(page, context, id, told)
  }

  get #hosts(): RealNode[] {
    return this.#nodes.filter((node) => node instanceof RealNode && node.isRunning) as RealNode[]
  }

  readonly within = realTime.within
  readonly pass = realTime.pass
  readonly partition = async (): Promise<void> => await unable('split')
  readonly heal = async (): Promise<void> => await unable('split')
  readonly introduce = async (): Promise<void> => await unable('introduce')

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(async (node) => await node.leave().catch(() => {})))
    for (const node of this.#nodes) if (node instanceof TabNode) await node.context.close()
    await rm(this.#folder, { recursive: true })
  }
}

export class TabNode implements SwarmNode {
  readonly id: string
  readonly events: readonly SwarmEvent[]
  readonly context: BrowserContext
  readonly #page: Page
  /** The events of the tab, and then those of each subscription. */
  readonly #told: [SwarmEvent[], ...SwarmEvent[][]]
  #waits = 0

  constructor(page: Page, context: BrowserContext, id: string, told: [SwarmEvent[], ...SwarmEvent[][]]) {
    this.#page = page
    this.#told = told
    this.context = context
    this.id = id
    this.events = told[0]
  }

  async members(): Promise<readonly SwarmMember[]> {
    return (await this.#call('members')) as SwarmMember[]
  }

  async elect(election: string, options: { readonly signal?: AbortSignal } = {}): Promise<SwarmReign> {
    return await this.#wait('elect', election, options.signal)
  }

  async result(election: string, options: { readonly signal?: AbortSignal } = {}): Promise<SwarmReign> {
    return await this.#wait('electionResult', election, options.signal)
  }

  async #wait(method: string, election: string, signal: AbortSignal | undefined): Promise<SwarmReign> {
    const number = this.#waits++
    signal?.addEventListener('abort', () => void this.#call('abort', number))
    return (await this.#call(method, election, number)) as SwarmReign
  }

  async withdraw(election: string): Promise<void> {
    await this.#call('withdraw', election)
  }

  async maybeDead(id: string): Promise<void> {
    await this.#call('maybeDead', id)
  }

  async signal(name: string, ids: readonly string[]): Promise<void> {
    await this.#call('signal', name, ids)
  }

  async publish(name: string, value: Uint8Array, ttl: number): Promise<void> {
    await this.#call('publish', name, [...value], ttl)
  }

  async unpublish(name: string): Promise<void> {
    await this.#call('unpublish', name)
  }

  async records(prefix?: string): Promise<readonly SwarmRecord[]> {
    return (await this.#call('records', prefix)) as SwarmRecord[]
  }

  async setTag(tag: Uint8Array): Promise<void> {
    await this.#call('setTag', [...tag])
  }

  async broadcast(name: string, payload: Uint8Array): Promise<void> {
    await this.#call('broadcast', name, [...payload])
  }

  async leave(): Promise<void> {
    if (!this.#page.isClosed()) await this.#call('leave')
  }

  /** Closes the tab. Its program gets no time to leave. */
  async kill(): Promise<void> {
    await this.#page.close()
  }

  readonly pause = async (): Promise<void> => await unable('pause')
  readonly resume = async (): Promise<void> => await unable('pause')
  readonly silence = async (): Promise<void> => await unable('be silent')
  readonly submit = async (): Promise<void> => await unable('compute')
  readonly jobResult = async (): Promise<number> => await unable('compute')
  readonly cancelJob = async (): Promise<void> => await unable('compute')

  async watch(): Promise<readonly SwarmEvent[]> {
    const events: SwarmEvent[] = []
    await this.#call('watch', this.#told.push(events) - 1)
    return events
  }

  async #call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    return revive(await this.#page.evaluate(async ([name, given]) => await globalThis.call(name, ...given), [method, args] as const))
  }
}

/** Makes the bytes in a value bytes again. */
function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      ['tag', 'payload', 'value'].includes(name) && Array.isArray(each) ? Uint8Array.from(each as number[]) : revive(each),
    ]),
  )
}
