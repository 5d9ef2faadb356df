import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { healthOf, readinessOf } from '../src/http/verdicts.ts'
import type { Agent } from '../src/agent/agent.ts'
import type { JobOverview, JobsEvent } from '../src/events/job-messages.ts'
import { join1, JelProcess, loopback, run, script } from './jel-process.ts'

const PROGRAM = `
import { task } from '@jel/compute/program'
export const square = task((number) => number * number)
export const sum = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, n) => run(square, n)))).length)
export const throws = task(() => { throw new RangeError('no such luck') })
`
const docs = join(import.meta.dirname, '../../../docs')
const streams = new Set<AbortController>()
afterEach(() => {
  for (const stream of streams) stream.abort()
  streams.clear()
})

async function joinShown(pool: string, ...args: string[]): Promise<{ node: JelProcess; url: string }> {
  const node = await join1(pool, '--http', '127.0.0.1:0', ...args)
  await node.until(() => node.of('http').length > 0, 'http')
  return { node, url: node.of('http')[0]!.url }
}

/** Sends a request as it is, and returns the status and body of the answer. */
async function ask(
  url: string,
  options: { method?: string; path?: string; headers?: Record<string, string> } = {},
): Promise<[number, string]> {
  const sent = request(new URL(options.path ?? '/', url), { method: options.method ?? 'GET', headers: options.headers ?? {} }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let body = ''
  for await (const piece of answer.setEncoding('utf8')) body += piece as string
  return [answer.statusCode ?? 0, body]
}

/** Follows the events of a page. */
async function follow(url: string, path = '/events'): Promise<{ status: number; events: { event: string; [key: string]: unknown }[] }> {
  const controller = new AbortController()
  streams.add(controller)
  const { status, body } = await fetch(new URL(path, url), { signal: controller.signal })
  const events: { event: string; [key: string]: unknown }[] = []
  const read = async (): Promise<void> => {
    let rest = ''
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + piece).split('\n\n')
      rest = parts.pop() ?? ''
      for (const part of parts) events.push(JSON.parse(part.replace(/^data: /u, '')) as { event: string })
    }
  }
  if (status === 200) void read().catch(() => {})
  return { status, events }
}

/** Returns the names and types of all metrics, as a scrape declares them. */
function declared(text: string): Map<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].map(([, name, type]) => [name as string, type as string]))
}

it('a node can be looked at over HTTP, and not changed', async () => {
  const { node, url } = await joinShown('looked', '--location', 'a@delft')
  expect(node.stderr).toBe('')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/u)
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/u)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.has('access-control-allow-origin')).toBe(false)
  const html = await answer.text()
  expect(html).not.toMatch(/<script>|style=|onclick/u)
  let bytes = Buffer.byteLength(html)
  for (const [, file] of html.matchAll(/(?:src|href)="([^"]+)"/gu)) {
    const part = await fetch(new URL(file as string, url))
    expect(part.status).toBe(200)
    bytes += (await part.arrayBuffer()).byteLength
  }
  // Without compression.
  expect(bytes).toBeLessThan(64_000)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) expect((await ask(url, { method }))[0]).toBe(405)
  expect(await ask(url, { method: 'HEAD', path: '/health' })).toEqual([200, ''])
  for (const path of ['/nothing', '/../package.json', '/%2e%2e/jel.js', '/server.ts', '/static/', '/jel.js'])
    expect((await ask(url, { path }))[0]).toBe(404)
  expect((await ask(url, { path: '/health?x=1' }))[0]).toBe(200)
  // A hostile DNS can point such a name at this machine.
  expect((await ask(url, { headers: { host: 'evil.example' } }))[0]).toBe(421)
  expect((await ask(url, { headers: { host: 'localhost' } }))[0]).toBe(200)
  const { stderr } = await run('status', 'looked')
  expect(stderr).toBe('')
  expect((await run('status', 'looked')).lines).toContain(`page         ${url}`)
})

it('events are streamed after a snapshot, to a limited number of readers', async () => {
  const { node, url } = await joinShown('streamed', '--elect', 'master')
  const { events } = await follow(url)
  await node.until(() => events.length > 0, 'a snapshot')
  expect(events[0]).toMatchObject({ event: 'snapshot', pool: 'streamed', node: { id: node.id }, members: [{ id: node.id, state: 'here' }] })
  const other = await join1('streamed', '--bootstrap', node.address)
  await node.until(() => events.some((each) => each.event === 'joined'), 'joined')
  await node.until(() => events.some((each) => each.event === 'neighbours' && each['of'] === other.id), 'links of the other')
  const told = events.find((each) => each.event === 'neighbours' && each['of'] === other.id)?.['links'] as [
    id: string,
    roundTrip?: number,
  ][]
  expect(told.map(([id]) => id)).toEqual([node.id])
  const figures = events.find((each) => each.event === 'neighbours' && each['of'] === other.id)?.['figures']
  expect(figures).toEqual({ workers: 0, busy: 0, memory: expect.any(Number), traffic: expect.any(Number) })
  other.child.kill('SIGKILL')
  await node.until(() => events.some((each) => each.event === 'detection'), 'detection', 30_000)
  const later = await follow(url)
  await node.until(() => later.events.length > 0, 'another snapshot')
  expect(later.events[0]).toMatchObject({
    members: [{ state: 'here' }, { id: other.id, state: 'died' }],
    detections: [[expect.any(Number), expect.any(Number)]],
  })
  expect((later.events[0]!['events'] as { event: string }[]).map(({ event }) => event)).toEqual(expect.arrayContaining(['joined', 'died']))
  for (let i = 2; i < 16; i += 1) expect((await follow(url)).status).toBe(200)
  expect((await follow(url)).status).toBe(503)
  node.send({ command: 'leave' })
  await node.until(() => events.some((each) => each.event === 'stopped'), 'stopped')
  expect(await node.exited).toBe(0)
})

it('an attribute is streamed to a page that asks for it, of at most sixteen members, and the sensors rest otherwise', async () => {
  const { node, url } = await joinShown('drawn')
  const other = await join1('drawn', '--bootstrap', node.address)
  await node.until(() => node.told('joined').includes(other.id), 'joined')
  const names = (await (await fetch(new URL('/watch', url))).json()) as string[]
  expect(names).toContain('system.cpu.utilization')
  const first = await follow(url, '/watch?name=system.uptime')
  await node.until(() => first.events.filter(({ event }) => event === 'sample').length > 3, 'samples')
  expect(first.events[0]).toMatchObject({ event: 'watching', name: 'system.uptime', members: [node.id, other.id], of: 2, pool: 'drawn' })
  expect(new Set(first.events.filter(({ event }) => event === 'sample').map(({ member }) => member))).toEqual(new Set([node.id, other.id]))
  // A newcomer takes a free place of a page that watches already.
  const newcomer = await join1('drawn', '--bootstrap', node.address)
  const told = (event: string): typeof first.events => first.events.filter((each) => each.event === event)
  await node.until(() => told('sample').some(({ member }) => member === newcomer.id), 'samples of the newcomer')
  expect(told('watching').at(-1)).toMatchObject({ members: [node.id, other.id, newcomer.id], of: 3 })
  other.child.kill('SIGKILL')
  await node.until(() => first.events.some(({ event, why }) => event === 'unsampled' && why === 'ended'), 'the end of the other', 30_000)
  expect((await ask(url, { path: `/watch?name=${'x'.repeat(65)}` }))[0]).toBe(400)
  expect(await ask(url, { path: '/watch?name=x', method: 'HEAD' })).toEqual([200, ''])
  const typeOf = async (path: string): Promise<string | null> =>
    (await fetch(new URL(path, url), { method: 'HEAD' })).headers.get('content-type')
  expect([await typeOf('/watch'), await typeOf('/watch?name=x')]).toEqual(['application/json', 'text/event-stream; charset=utf-8'])
  // A page of another site would keep a stream from those who may read it.
  for (const path of ['/watch', '/watch?name=system.uptime', '/events'])
    expect((await ask(url, { path, headers: { 'sec-fetch-site': 'cross-site' } }))[0]).toBe(403)
  for (let open = 1; open < 4; open += 1) expect((await follow(url, '/watch?name=system.uptime')).status).toBe(200)
  expect((await follow(url, '/watch?name=system.uptime')).status).toBe(503)
  expect(await ask(url, { path: '/watch?name=system.uptime', method: 'HEAD' })).toEqual([503, ''])
  expect(await ask(url, { path: '/watch', method: 'HEAD' })).toEqual([200, ''])
  for (const stream of streams) stream.abort()
  await vi.waitUntil(async () => (await follow(url, '/watch?name=system.uptime')).status === 200, { timeout: 10_000 })
})

it('metrics of an aggregator speak for its site while somebody watches', async () => {
  const { node, url } = await joinShown('spoken', '--location', 'a@delft')
  const site = async (): Promise<string[]> =>
    (await (await fetch(new URL('/metrics', url))).text()).split('\n').filter((line) => /^jel_site_\w+\{/u.test(line))
  expect(await site()).toEqual([])
  const watching = new JelProcess(['watch', 'spoken', 'process.memory.usage', '--by-site', '--reduce', 'max', '--every', '0.2'])
  const labels = 'site="delft",attribute="process.memory.usage",reduce="max",every="0.2s"'
  await expect
    .poll(site, { timeout: 10_000 })
    .toEqual([expect.stringMatching(new RegExp(`^jel_site_value\\{${labels}\\} \\d{7,}$`, 'u')), `jel_site_members{${labels}} 1`])
  watching.child.kill('SIGINT')
  await watching.exited
  await expect.poll(site, { timeout: 10_000 }).toEqual([])
  expect(node.of('error')).toEqual([])
})

it('metrics match the documents and the dashboard, and count events', async () => {
  const { node, url } = await joinShown('measured', '--elect', 'master', '--on', 'died=exit 3')
  const other = await join1('measured', '--bootstrap', node.address)
  await node.until(() => node.told('joined').includes(other.id) && node.of('elected').length > 0, 'joined and elected')
  other.child.kill('SIGKILL')
  await node.until(() => node.told('died').includes(other.id), 'died', 30_000)
  await node.until(() => node.of('error').some(({ code }) => code === 'HANDLER_FAILED'), 'the failure of its handler')
  const scrape = await fetch(new URL('/metrics', url))
  expect(scrape.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/u)
  const text = await scrape.text()
  expect(text).toMatch(/^jel_members 1$/mu)
  expect(text).toMatch(/^jel_joins_total 2$/mu)
  expect(text).toMatch(/^jel_member_deaths_total 1$/mu)
  expect(text).toMatch(/^jel_elections_won_total 1$/mu)
  expect(text).toMatch(/^jel_handler_failures_total 1$/mu)
  expect(text).toMatch(/^jel_detection_seconds_count 1$/mu)
  expect(text).toMatch(/^jel_build_info\{version="[^"]+"\} 1$/mu)
  expect(Number(/^jel_traffic_sent_bytes_total (\d+)$/mu.exec(text)?.[1])).toBeGreaterThan(500)
  for (const line of text.split('\n').filter(Boolean))
    expect(line).toMatch(/^(?:# (?:HELP|TYPE) \S+ .+|[a-z_][a-z_\d]*(?:\{.*\})? (?:-?[\d.e+-]+|Nan))$/u)

  const types = declared(text)
  const own = [...types.keys()].filter((name) => name.startsWith('jel_'))
  for (const name of own) expect(types.get(name) === 'counter').toBe(name.endsWith('_total'))
  const documented = readFileSync(join(docs, 'monitoring.md'), 'utf8')
  expect(own.filter((name) => !documented.includes(`\`${name}\``))).toEqual([])
  expect([...documented.matchAll(/`(jel_\w+)`/gu)].map(([, name]) => name).filter((name) => !types.has(name as string))).toEqual([])
  const dashboard = readFileSync(join(docs, 'monitoring/grafana.json'), 'utf8')
  const expressions = [...dashboard.matchAll(/"(?:expr|query)": "(.*)"/gu)].map(([, expression]) => expression as string)
  const used = expressions.flatMap((each) =>
    [...each.matchAll(/\b(?:jel|process|nodejs)_[a-z_]+/gu)].map(([name]) => name.replace(/_bucket$/u, '')),
  )
  expect(used.length).toBeGreaterThan(30)
  expect(used.filter((name) => !types.has(name))).toEqual([])

  // If promtool is installed, it checks the metrics, too.
  const promtool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  if (promtool.error === undefined) expect(promtool.stderr + promtool.stdout).toBe('')
})

it('metrics count the tasks that ran at a node, and its page gets the work on each job', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-metrics-'))
  try {
    const file = join(folder, 'program.js')
    writeFileSync(file, PROGRAM)
    const args = ['work', 'counted', '--json', '--workers', '1', '--http', '127.0.0.1:0', '--owner', join(folder, 'owner'), ...loopback]
    const node = new JelProcess(args, 'pipe', script, { XDG_CACHE_HOME: folder })
    await node.until(() => node.of('http').length > 0, 'http')
    const scrape = async (): Promise<string> => await (await fetch(new URL('/metrics', node.of('http')[0]!.url))).text()
    expect(await scrape()).toMatch(/^jel_tasks_run_total 0$/mu)
    const { events } = await follow(node.of('http')[0]!.url)
    await node.until(() => events.some((each) => each.event === 'neighbours'), 'own figures')
    expect(events.find((each) => each.event === 'neighbours')).toMatchObject({ of: node.id, figures: { workers: 1, busy: 0 } })
    node.send({ command: 'submit', id: 1, file, function: 'sum', input: 20, until: 'ended' })
    node.send({ command: 'submit', id: 2, file, function: 'throws', until: 'ended' })
    await node.until(
      () => node.events.filter((event) => event.event === 'done' && 're' in event && !('job' in event)).length === 2,
      'both ended',
    )
    const text = await scrape()
    expect(text).toMatch(/^jel_tasks_run_total 22$/mu)
    expect(text).toMatch(/^jel_tasks_failed_total 1$/mu)
    expect(text).toMatch(/^jel_task_duration_seconds_count 22$/mu)
    expect(text).toMatch(/^jel_task_duration_seconds_bucket\{le="\+Inf"\} 22$/mu)
    expect(text).toMatch(/^jel_workers 1$/mu)
    expect(text).toMatch(/^jel_jobs_kept 2$/mu)
    expect(Number(/^jel_blobs_bytes (\d+)$/mu.exec(text)?.[1])).toBeGreaterThan(100)
    const jobsOf = (): readonly JobOverview[] =>
      (events.findLast(({ event }) => event === 'jobs') as unknown as JobsEvent | undefined)?.jobs ?? []
    await node.until(
      () => jobsOf().filter(({ state, functions }) => state !== 'active' && functions.length > 0).length === 2,
      'the page knows',
    )
    const [one, other] = jobsOf().toSorted((a, b) => a.state.localeCompare(b.state))
    expect(one).toMatchObject({ state: 'done', finished: 21, ended: expect.any(Number), workers: [{ member: node.id, finished: 21 }] })
    expect(one?.functions).toContainEqual(expect.objectContaining({ fn: 'square', finished: 20, failed: 0 }))
    expect(other).toMatchObject({ state: 'failed', functions: [{ fn: 'throws', finished: 1, failed: 1 }] })
    expect(other?.failure).toMatchObject({ code: 'TASK_THREW', message: 'no such luck', fn: 'throws', input: 'undefined' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('health and readiness are reported by the status, also before the node is in the pool', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  try {
    const node = new JelProcess([
      'join',
      'ready',
      ...loopback,
      '--bootstrap',
      `127.0.0.1:${(silent.address() as AddressInfo).port}`,
      '--http',
      '127.0.0.1:0',
    ])
    await node.until(() => node.stderr.includes('\n'), 'the address')
    const url = /^jel: page at (\S+)\n$/u.exec(node.stderr)![1]!
    expect(await ask(url, { path: '/ready' })).toEqual([503, expect.stringContaining('"code":"NOT_ENTERED"')])
    expect((await ask(url, { path: '/health' }))[0]).toBe(503)
    expect((await ask(url, { path: '/metrics' }))[0]).toBe(503)
    expect((await ask(url))[0]).toBe(200)
    // The node goes on alone. It is healthy for a pool of one, but senders of work should wait.
    await vi.waitUntil(async () => (await ask(url, { path: '/health' }))[0] === 200, 90_000)
    expect((await ask(url, { path: '/ready' }))[0]).toBe(503)
  } finally {
    silent.close()
  }
  const { url } = await joinShown('ready')
  const [status, body] = await ask(url, { path: '/health' })
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ event: 'health', pool: 'ready', time: expect.any(Number), members: 1, minority: false })
  expect((await ask(url, { path: '/ready' }))[0]).toBe(200)
})

it('health is reported however many clients connect in silence, or ask and do not read', async () => {
  const { url } = await joinShown('crowded')
  const { status, events } = await follow(url)
  expect(status).toBe(200)
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: 100 }, (_, number) => {
    const socket = connect(Number(port), hostname, () => {
      // Half of the sockets send requests, and never read the long answers.
      if (number % 2 === 0) for (let turn = 0; turn < 20; turn++) socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    }).pause()
    return socket.on('error', () => {})
  })
  try {
    await vi.waitUntil(() => sockets.every(({ connecting }) => !connecting), 5000)
    for (let turn = 0; turn < 3; turn++) expect((await ask(url, { path: '/health' }))[0]).toBe(200)
    // The server does not end streams of events.
    const before = events.length
    await vi.waitUntil(() => events.length > before, 5000)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

it('a connection follows events once, however often it asks', async () => {
  const { url } = await joinShown('asked-often')
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  try {
    socket.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(20))
    await once(socket.resume(), 'data')
    // Twenty streams would exceed the limit.
    expect((await follow(url)).status).toBe(200)
  } finally {
    socket.destroy()
  }
})

it('a node that leaves is not ready, and a node that is cut off is not well', () => {
  const agent = (health: object, stopping = false): Agent =>
    ({ stopping, pool: { health: () => ({ members: 3, alone: false, minority: false, introducers: [], ...health }) } }) as unknown as Agent
  expect(readinessOf(agent({}))).toMatchObject({ isWell: true })
  expect(readinessOf(agent({}, true))).toMatchObject({ isWell: false, event: { code: 'LEAVING' } })
  expect(readinessOf(agent({ alone: true, introducers: [{}] }))).toMatchObject({ isWell: false })
  expect(healthOf(agent({}, true))).toMatchObject({ isWell: true })
  expect(healthOf(agent({ minority: true }))).toMatchObject({ isWell: false, event: { event: 'health', minority: true } })
  expect(healthOf(agent({ alone: true }))).toMatchObject({ isWell: false })
  expect(healthOf(agent({ alone: true, members: 1 }))).toMatchObject({ isWell: true })
})

it('an address that is invalid or in use is reported before a pool is joined', async () => {
  for (const address of ['8080', 'localhost:80', '127.0.0.1', '127.0.0.1:70000', '[127.0.0.1]:0', '::1:80'])
    expect(await run('join', 'taken', '--http', address)).toMatchObject({
      status: 2,
      lines: [],
      stderr: expect.stringContaining('IP:PORT'),
    })
  const { node, url } = await joinShown('taken')
  const { port } = new URL(url)
  const taken = await run('join', 'taken', ...loopback, '--bootstrap', node.address, '--http', `127.0.0.1:${port}`)
  expect(taken).toMatchObject({ status: 1, lines: [], stderr: `jel: --http: can't listen at 127.0.0.1:${port}: EADDRINUSE\n` })
  expect(node.told('joined')).toEqual([node.id])
})

it('the bundle of the page has no host of its own: the node has loaded one', () => {
  expect(statSync(join(import.meta.dirname, '../dist/http.js')).size).toBeLessThan(400_000)
})

it('the page is served from the sources, too', () => {
  const script =
    "import { Assets } from './src/http/assets.ts'; const all = new Assets(); console.log(['/', '/page.css', '/page.js', '/model.ts', '/icon.svg', '/model.test.ts', '/none.js'].map((path) => all.find(path)?.type))"
  const printed = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
    cwd: join(import.meta.dirname, '..'),
    encoding: 'utf8',
  })
  expect(printed.match(/javascript/gu)).toHaveLength(2)
  expect(printed.match(/undefined/gu)).toHaveLength(2)
})
