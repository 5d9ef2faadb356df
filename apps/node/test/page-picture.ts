/**
 * Takes the pictures of the page in docs/. The page shows a pool of processes on this machine; one
 * process is killed. Needs chromium:
 *
 *     pnpm picture
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { crc32, deflateSync } from 'node:zlib'
import { chromium, type Browser } from 'playwright-core'
import type { NodeEvent } from '../src/agent/events.ts'

const MEMBERS = 14
const SITES = ['amsterdam', 'delft', 'leiden', 'utrecht']

const bin = fileURLToPath(new URL('../bin/jel.js', import.meta.url))
const children: ChildProcess[] = []

/** Starts a node. Returns the first event for which `isEnough` holds. */
async function start(args: readonly string[], isEnough: (event: NodeEvent) => boolean): Promise<NodeEvent> {
  const child = spawn(process.execPath, [bin, 'join', 'render-farm', '--json', '--no-control', '--listen', '127.0.0.1:0', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as NodeEvent
    if (isEnough(event)) {
      child.stdout?.resume()
      return event
    }
  }
  throw new Error('a node has ended')
}

async function takePictures(executablePath: string): Promise<void> {
  let address = ''
  const shown = await start(
    ['--location', 'node0@rack1@delft', '--tag', 'gpu=2', '--http', '127.0.0.1:0', '--elect', 'master'],
    (event) => {
      if (event.event === 'started') [address = ''] = event.node.addresses
      return event.event === 'http'
    },
  )
  if (shown.event !== 'http') return
  for (let i = 1; i < MEMBERS; i += 1) {
    const location = `node${i}@rack${i % 3}@${SITES[i % SITES.length]}`
    const role = i === 3 ? 'backup' : 'master'
    await start(
      ['--location', location, '--tag', `cpu=${4 * (i % 5) + 4}`, '--bootstrap', address, '--elect', role],
      ({ event }) => event === 'started',
    )
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(shown.url)
    await page.waitForFunction((count) => document.getElementById('members')?.textContent === String(count), MEMBERS)
    // This is long enough for the node to ask all members for their links.
    await page.waitForTimeout(15_000)
    children[7]?.kill('SIGKILL')
    await page.waitForFunction((count) => document.getElementById('members')?.textContent === String(count - 1), MEMBERS)
    await page.waitForTimeout(1_500)
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      const path = fileURLToPath(new URL(`../../../docs/page${theme === 'light' ? '' : '-dark'}.png`, import.meta.url))
      await page.waitForTimeout(300)
      writeFileSync(path, await smaller(browser, await page.screenshot()))
      console.log(`${statSync(path).size} bytes in ${path}`)
    }
  } finally {
    await browser.close()
  }
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
try {
  if (executablePath === undefined) console.log('no chromium here: docs/page.png stays as it is')
  else await takePictures(executablePath)
} finally {
  for (const child of children) child.kill()
}
