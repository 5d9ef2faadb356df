/**
 * Runs the demos, and draws their output as animated SVGs in docs/. The lines appear one by one,
 * slower than in the demos. Draws the screen of `jel top` as a still picture:
 *
 *     pnpm picture [top.svg]
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import Anser from 'anser'

const ROWS = 30
const LINE = 18
const CHARACTER = 8.43
const PADDING = 16
interface Picture {
  readonly file: string
  readonly command: readonly string[]
  readonly title: string
  /** The factor by which the picture is slower than the demo. A real demo is too fast to follow. */
  readonly slower: number
}

const PICTURES: readonly Picture[] = [
  {
    file: 'demo.svg',
    command: ['demo'],
    title: 'jel demo: eight processes join, elect, lose their winner, elect the next, and leave',
    slower: 4,
  },
  {
    file: 'demo-compute.svg',
    command: ['demo', 'compute'],
    title: 'jel demo compute: a job outlives a worker, the member with its root, and its submitter',
    slower: 2,
  },
]

/** The time for which the end stays visible, in seconds. */
const REST = 8

const COLOURS: Readonly<Record<string, string>> = {
  'ansi-red': '#ff7b72',
  'ansi-green': '#7ee787',
  'ansi-yellow': '#f2cc60',
  'ansi-blue': '#79c0ff',
  'ansi-magenta': '#d2a8ff',
  'ansi-cyan': '#76e3ea',
}
const DIM = '#8b949e'

interface Line {
  /** Seconds since the start. */
  readonly time: number
  readonly text: string
}

/** Records the lines with their real times. Throws if the demo fails. */
async function record(command: readonly string[]): Promise<Line[]> {
  const start = performance.now()
  const child = spawn(process.execPath, command, { env: { ...process.env, FORCE_COLOR: '1' }, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: Line[] = []
  for await (const text of createInterface(child.stdout)) lines.push({ time: (performance.now() - start) / 1000, text })
  const status = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)))
  if (status !== 0) throw new Error(`the demo ended with ${status}`)
  return lines
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(' ', '\u00a0')
}

function draw({ text }: Pick<Line, 'text'>, row: number): string {
  const spans = Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map(({ content, fg, decorations }) => {
    const colour = decorations.includes('dim') ? DIM : COLOURS[fg]
    const style = [
      colour === undefined ? '' : ` fill="${colour}"`,
      decorations.includes('bold') ? ' font-weight="bold"' : '',
      decorations.includes('underline') ? ' text-decoration="underline"' : '',
    ].join('')
    return style === '' ? escape(content) : `<tspan${style}>${escape(content)}</tspan>`
  })
  return `<text y="${row * LINE}">${spans.join('')}</text>`
}

function head(title: string, width: number, height: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>
text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3 }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`
}

/**
 * Draws the lines in one long column that moves up, so that the latest line is always the lowest.
 */
function picture(lines: readonly Line[], { title, slower }: Picture): string {
  const duration = (lines.at(-1)?.time ?? 0) * slower + REST
  const offset = (count: number): number => (ROWS - count) * LINE
  const frames = lines.map(
    ({ time }, index) => `${(((time * slower) / duration) * 100).toFixed(3)}% { transform: translateY(${offset(index + 1)}px) }`,
  )
  const columns = Math.max(...lines.map(({ text }) => stripVTControlCharacters(text).length))
  const width = columns * CHARACTER + 2 * PADDING
  const height = ROWS * LINE + 2 * PADDING
  const end = offset(lines.length)
  return `${head(title, width, height)}
<style>
@keyframes run { 0% { transform: translateY(${offset(0)}px) } ${frames.join(' ')} 100% { transform: translateY(${end}px) } }
@media (prefers-reduced-motion: no-preference) { #lines { animation: run ${duration.toFixed(2)}s step-end infinite } }
</style>
<svg x="${PADDING}" y="${PADDING}" width="${width - 2 * PADDING}" height="${ROWS * LINE}">
<g id="lines" transform="translate(0 ${end})">
<g transform="translate(0 ${LINE - 5})">
${lines.map(draw).join('\n')}
</g>
</g>
</svg>
</svg>
`
}

const bin = fileURLToPath(new URL('../apps/node/bin/jel.js', import.meta.url))
const wanted = process.argv.slice(2)
const isWanted = (file: string): boolean => wanted.length === 0 || wanted.includes(file)

for (const each of PICTURES) {
  if (!isWanted(each.file)) continue
  const lines = await record([bin, ...each.command])
  writeFileSync(new URL(`../docs/${each.file}`, import.meta.url), picture(lines, each))
  console.log(`${lines.length} lines of ${lines.at(-1)?.time.toFixed(1)} s in docs/${each.file}`)
}

const TOP = { file: 'top.svg', title: 'jel top: the members of a pool, who is elected, and what happened', columns: 112, rows: 26 }

/**
 * Records the screen of `jel top`. Meanwhile it kills the winner of an election, and another member
 * leaves. Needs `script` of util-linux.
 */
async function recordTop(): Promise<string[]> {
  const runtime = mkdtempSync(join(tmpdir(), 'jel-picture-'))
  const env = { ...process.env, XDG_RUNTIME_DIR: runtime, TERM: 'xterm-256color', SHELL: '/bin/sh' }
  const children: ChildProcess[] = []
  const start = async (index: number, ...flags: readonly string[]): Promise<{ child: ChildProcess; id: string; address: string }> => {
    const location = ['--location', `node${index}@rack${(index % 3) + 1}@${index % 2 === 0 ? 'delft' : 'amsterdam'}@nl`]
    const tag = index % 4 === 3 ? [] : ['--tag', index % 2 === 0 ? 'gpu=2 cores=32' : 'cores=64']
    const args = [bin, 'join', 'render-farm', '--json', '--listen', '127.0.0.1:0', ...location, ...tag, ...flags]
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(child)
    const [line] = await new Promise<string[]>((resolve) =>
      createInterface({ input: child.stdout }).once('line', (text) => resolve([text])),
    )
    const { id, addresses } = (JSON.parse(line as string) as { node: { id: string; addresses: string[] } }).node
    return { child, id, address: addresses[0] as string }
  }
  try {
    const first = await start(1, '--elect', 'master')
    const nodes = []
    for (let index = 2; index <= 11; index += 1) {
      const elections = [index < 5 ? 'master' : '', index === 6 ? 'log-keeper' : ''].filter(Boolean).flatMap((name) => ['--elect', name])
      nodes.push(await start(index, '--bootstrap', first.address, ...elections))
    }
    const [looker, , , , , leaver] = nodes
    if (looker === undefined || leaver === undefined) throw new Error('too few nodes')
    const command = `stty cols ${TOP.columns} rows ${TOP.rows}; '${process.execPath}' '${bin}' top render-farm --node ${looker.id}`
    const top = spawn('script', ['-qfec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    children.push(top)
    let written = ''
    top.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
    await sleep(5_000)
    leaver.child.kill('SIGTERM')
    await sleep(1_000)
    first.child.kill('SIGKILL')
    const showsDeath = (): boolean => linesOf(written).some((line) => / died  /u.test(stripVTControlCharacters(line)))
    const end = Date.now() + 30_000
    while (!showsDeath() && Date.now() < end) await sleep(100)
    // This leaves time for the election of the next winner.
    await sleep(1_500)
    const lines = linesOf(written)
    top.stdin.write('q')
    if (!showsDeath()) throw new Error('jel top showed no death')
    return lines
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await sleep(1_000)
    rmSync(runtime, { recursive: true, force: true })
  }
}

/**
 * Returns the visible lines of the screen, with their colours. `jel top` draws the screen line by
 * line.
 */
function linesOf(written: string): string[] {
  const lines: string[] = []
  for (const [, row, line] of written.matchAll(/\p{Cc}\[(\d+);1H\p{Cc}\[2K((?:(?!\p{Cc}\[(?:\d+;1H|\?)).)*)/gsu))
    lines[Number(row) - 1] = line ?? ''
  return [...lines].map((line) => line ?? '')
}

if (isWanted(TOP.file)) {
  const screen = await recordTop()
  const width = TOP.columns * CHARACTER + 2 * PADDING
  const standing = `${head(TOP.title, width, TOP.rows * LINE + 2 * PADDING)}
<g transform="translate(${PADDING} ${PADDING + LINE - 5})">
${screen.map((text, row) => draw({ text }, row)).join('\n')}
</g>
</svg>
`
  writeFileSync(new URL(`../docs/${TOP.file}`, import.meta.url), standing)
  console.log(`${screen.length} lines in docs/${TOP.file}`)
}
