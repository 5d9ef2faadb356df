/**
 * The figures that documents show. With `--keep`, an experiment writes its figures and their origin
 * to docs/figures, and shows them in the document. `pnpm lab figures` updates all documents from
 * docs/figures.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasChangedSince, type Part } from './age.ts'
import { machine, type Machine } from './machine.ts'
import { replaceSection } from './markdown.ts'
import { inCheckout } from './paths.ts'

/** The origin of figures. */
export interface Origin {
  /** The measured commit, with a + if the checkout had uncommitted changes. */
  readonly revision: string
  /** The command that repeats the measurement. */
  readonly command: string
  readonly date: string
  /** The state of the machine before the experiment. */
  readonly machine: Machine
}

interface Kept<Data> {
  readonly origin: Origin
  readonly data: Data
}

/** How a document shows the figures of an experiment. */
export interface Shown<Data> {
  /** The figures are in docs/figures/<name>.json. */
  readonly name: string
  readonly document: string
  /** The text goes between `<!-- section -->` and `<!-- /section -->` of the document. */
  readonly section: string
  readonly text: (data: Data) => string
  /** The measured parts. Default: protocol and overlay. */
  readonly of?: readonly Part[]
  readonly picture?: { readonly file: string; readonly draw: (data: Data) => Promise<string> }
}

/** Returns the origin of figures. Call it before the measurement. */
export function originOf(): Origin {
  return {
    revision: revisionOf(),
    command: ['pnpm', 'lab', ...process.argv.slice(2)].join(' '),
    date: new Date().toISOString().slice(0, 10),
    machine: machine(),
  }
}

/**
 * Returns `unknown` in a copy of the sources without a history, such as one with planted faults.
 */
function revisionOf(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', inCheckout('.'), ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+')
  } catch {
    return 'unknown'
  }
}

/** Writes the figures to their file and into the document. */
export async function keepFigures<Data>(shown: Shown<Data>, origin: Origin, data: Data): Promise<void> {
  const file = fileOf(shown)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify({ origin, data } satisfies Kept<Data>, numbersToText)}\n`)
  await showFigures(shown)
}

/** Updates a document from the kept figures. Returns false if there are no kept figures. */
export async function showFigures<Data>(shown: Shown<Data>): Promise<boolean> {
  const kept = read(shown)
  if (kept === undefined) return false
  const document = inCheckout(shown.document)
  writeFileSync(document, withFigures(readFileSync(document, 'utf8'), shown, kept, isOld(shown, kept) === true))
  const { picture } = shown
  if (picture !== undefined) writeFileSync(inCheckout(picture.file), await picture.draw(kept.data))
  return true
}

/**
 * Relation of a document to the kept figures. `isShown`: the document shows exactly these figures.
 * `isOld`: the measured sources have changed since the measurement; undefined if the history is
 * missing. `isSaid`: the document states that the sources have changed.
 */
export interface State {
  readonly isShown: boolean
  readonly isOld: boolean | undefined
  readonly isSaid: boolean
}

/** Returns undefined if there are no kept figures. */
export function stateOf<Data>(shown: Shown<Data>): State | undefined {
  const kept = read(shown)
  if (kept === undefined) return undefined
  const document = readFileSync(inCheckout(shown.document), 'utf8')
  const isSaid = document === withFigures(document, shown, kept, true)
  return { isShown: isSaid || document === withFigures(document, shown, kept, false), isOld: isOld(shown, kept), isSaid }
}

function isOld<Data>({ of = ['protocol', 'overlay'] }: Shown<Data>, { origin }: Kept<Data>): boolean | undefined {
  return hasChangedSince(origin.revision.replace('+', ''), of)
}

function read<Data>(shown: Shown<Data>): Kept<Data> | undefined {
  const file = fileOf(shown)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8'), textToNumbers) as Kept<Data>) : undefined
}

function withFigures<Data>(document: string, { section, text }: Shown<Data>, { origin, data }: Kept<Data>, old: boolean): string {
  return replaceSection(document, section, `${text(data)}\n\n${describe(origin)}${old ? ` ${OLD}` : ''}`)
}

/** The note for figures of older sources. It stays true until the next measurement. */
const OLD = 'The sources have changed since.'

function describe({ revision, command, date, machine: on }: Origin): string {
  const { node, cores, processor, memoryGB, loadAverage } = on
  return `\`${command}\` at ${revision}, ${date}: Node ${node.replace('v', '')}, ${cores} cores (${processor}), ${memoryGB} GB, load average at the start ${loadAverage}.`
}

function fileOf({ name }: Pick<Shown<never>, 'name'>): string {
  return inCheckout(`docs/figures/${name}.json`)
}

const texts = new Map<unknown, number>([
  ['Infinity', Infinity],
  ['NaN', Number.NaN],
])

/** JSON can represent neither Infinity (the event never happened) nor NaN (not measured). */
export function numbersToText(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

export function textToNumbers(_: string, value: unknown): unknown {
  return texts.get(value) ?? value
}
