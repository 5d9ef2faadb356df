/**
 * Takes the pictures of the page in docs/: light, dark, and as wide as a phone. The page shows a
 * pool of processes on this machine; some compute, and one is killed. Needs chromium:
 *
 *     pnpm picture
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { chromium, type Browser, type Page } from 'playwright-core'
import type { NodeEvent } from '../src/events/events.ts'

const MEMBERS = 14
/** Members that compute, with one worker each. The machine also draws the page. */
const WORKING = 4
const SITES = ['amsterdam', 'delft', 'leiden', 'utrecht']
/** The time after which all ends, whatever happened, ms. Guess: three times as long as it takes. */
const LIMIT = 240_000

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const children: ChildProcess[] = []
/** The owner of the jobs, and the blobs of this pool alone. */
const folder = mkdtempSync(join(tmpdir(), 'jel-picture-'))

/** Starts a node. Returns it, and its first event for which `isEnough` holds. */
async function start(
  args: readonly string[],
  isEnough: (event: NodeEvent) => boolean,
): Promise<{ readonly child: ChildProcess; readonly event: NodeEvent }> {
  const [command, ...flags] = args
  const all = [here('../bin/jel.js'), command ?? '', 'render-farm', '--json', '--no-control', '--listen', '127.0.0.1:0', ...flags]
  const child = spawn(process.execPath, all, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, XDG_CACHE_HOME: folder } })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as NodeEvent
    if (isEnough(event)) {
      child.stdout?.resume()
      return { child, event }
    }
  }
  throw new Error('a node has ended')
}

/**
 * Sends jobs of the examples: one that fails at once, one that ends, and a sweep that takes
 * minutes, so it runs in the pictures. It ends with its members.
 */
function sendJobs({ stdin }: ChildProcess): void {
  const [primes, qap] = [here('../../examples/src/primes.ts'), here('../../examples/src/qap.ts')]
  const inputs = Array.from({ length: 4_000 }, (_, i) => 200_000_000 + i * 20_000)
  const commands = [
    { command: 'submit', file: qap, function: 'qap', name: 'qap' },
    { command: 'submit', file: primes, function: 'count', input: { threads: 200, below: 20_000_000 }, name: 'count' },
    { command: 'map', file: primes, function: 'primes', inputs, name: 'primes' },
    { command: 'submit', file: here('../../examples/src/queens.ts'), function: 'queens', input: 16, name: 'queens' },
  ]
  for (const each of commands) stdin?.write(`${JSON.stringify(each)}\n`)
}

async function takePictures(executablePath: string): Promise<void> {
  let address = ''
  const working = ['work', '--workers', '1', '--owner', join(folder, 'owner')]
  const { child, event } = await start(
    [...working, '--location', 'node0@rack1@delft', '--tag', 'gpu=2', '--http', '127.0.0.1:0', '--elect', 'master'],
    (told) => {
      if (told.event === 'started') [address = ''] = told.node.addresses
      return told.event === 'http'
    },
  )
  if (event.event !== 'http') return
  for (let i = 1; i < MEMBERS; i += 1) {
    const location = `node${i}@rack${i % 3}@${SITES[i % SITES.length]}`
    const role = i === 3 ? 'backup' : 'master'
    await start(
      [
        ...(i < WORKING ? working : ['join']),
        '--location',
        location,
        '--tag',
        `cpu=${4 * (i % 5) + 4}`,
        '--bootstrap',
        address,
        '--elect',
        role,
      ],
      (told) => told.event === 'started',
    )
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(event.url)
    const hasMembers = async (count: number): Promise<void> => {
      await page.waitForFunction((shown) => document.getElementById('members')?.textContent === String(shown), count, { timeout: 60_000 })
    }
    await hasMembers(MEMBERS)
    sendJobs(child)
    // Long enough for the node to ask all members for their links, and for most of a stream.
    await page.waitForTimeout(50_000)
    children[7]?.kill('SIGKILL')
    await hasMembers(MEMBERS - 1)
    await page.waitForTimeout(1_500)
    const taken = [await take(page, 'page.png', 'light'), await take(page, 'page-dark.png', 'dark')]
    await page.setViewportSize({ width: 390, height: 1200 })
    taken.push(await take(page, 'page-phone.png', 'light'))
    // The jobs would take the processor from what follows.
    await page.close()
    await endAll()
    for (const { name, png } of taken) {
      const path = here(`../../../docs/${name}`)
      writeFileSync(path, await smaller(browser, png))
      console.log(`${statSync(path).size} bytes in ${path}`)
    }
  } finally {
    await browser.close()
  }
}

async function take(page: Page, name: string, colorScheme: 'light' | 'dark'): Promise<{ readonly name: string; readonly png: Buffer }> {
  await page.emulateMedia({ colorScheme })
  // The next second draws the strips, and the picture has its new size.
  await page.waitForTimeout(1_500)
  return { name, png: await page.screenshot() }
}

/** Ends all processes, also those that do not end by themselves. */
async function endAll(): Promise<void> {
  for (const child of children) child.kill()
  const ended = children.map(async (child) => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await Promise.race([Promise.all(ended), sleep(10_000, undefined, { ref: false })])
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/**
 * Returns the same picture in half of the bytes: without an alpha channel, with 32 levels a
 * channel, and at the best compression.
 */
async function smaller(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  const { width, height, pixels } = await page.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d') as OffscreenCanvasRenderingContext2D
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    return { width: image.width, height: image.height, pixels: Array.from(data) }
  }, png.toString('base64'))
  await page.close()
  const rows = Buffer.alloc(height * (1 + 3 * width))
  for (let y = 0, at = 0; y < height; y += 1) {
    at += 1 // the row's filter type: none
    for (let x = 0; x < width; x += 1) {
      for (let channel = 0; channel < 3; channel += 1, at += 1) {
        const value = pixels[(y * width + x) * 4 + channel] ?? 0
        rows[at] = Math.round(Math.round((value / 255) * 31) * (255 / 31))
      }
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of red, green and blue.
  header.set([8, 2], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
const limit = setTimeout(() => {
  console.error(`no pictures within ${LIMIT / 1000} s`)
  void endAll().finally(() => process.exit(1))
}, LIMIT)
try {
  if (executablePath === undefined) console.log('no chromium here: the pictures of the page stay as they are')
  else await takePictures(executablePath)
} finally {
  await endAll()
  clearTimeout(limit)
}
