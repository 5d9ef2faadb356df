/**
 * Runs the demos and draws their output, line by line as it came but slower, as animated SVGs in docs/:
 *
 *     pnpm picture
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
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
  /** A demo takes some seconds, too fast to follow. */
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

/** How long the end stays to be read, in seconds. */
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

/** Real lines at their real times; a demo that fails has no picture. */
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

function draw({ text }: Line, row: number): string {
  const spans = Anser.ansiToJson(text, { use_classes: true, remove_empty: true }).map(({ content, fg, decorations }) => {
    const colour = decorations.includes('dim') ? DIM : COLOURS[fg]
    const style = [colour === undefined ? '' : ` fill="${colour}"`, decorations.includes('bold') ? ' font-weight="bold"' : ''].join('')
    return style === '' ? escape(content) : `<tspan${style}>${escape(content)}</tspan>`
  })
  return `<text y="${row * LINE}">${spans.join('')}</text>`
}

/** The lines stand in one long column that moves up, so that the latest line is always the lowest. */
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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${title}</title>
<style>
text { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6edf3 }
@keyframes run { 0% { transform: translateY(${offset(0)}px) } ${frames.join(' ')} 100% { transform: translateY(${end}px) } }
@media (prefers-reduced-motion: no-preference) { #lines { animation: run ${duration.toFixed(2)}s step-end infinite } }
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
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
for (const each of PICTURES) {
  const lines = await record([bin, ...each.command])
  writeFileSync(new URL(`../docs/${each.file}`, import.meta.url), picture(lines, each))
  console.log(`${lines.length} lines of ${lines.at(-1)?.time.toFixed(1)} s in docs/${each.file}`)
}
