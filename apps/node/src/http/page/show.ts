/** The page of a node: combines its parts, and handles keys. It gets its events from its caller. */
import { writeAllocation } from './allocation.ts'
import { drawChart, medianOf, timeAxisOf } from './charts.ts'
import { nodeTime, setNodeTime } from './clock.ts'
import { readColours } from './colours.ts'
import { plainEvent, type Follow, type Take } from './feed.ts'
import { writeJobs } from './jobs.ts'
import { writeLedger } from './ledger.ts'
import { fill, find, line } from './lists.ts'
import { healthLevel } from '../../events/health.ts'
import { Model, type Told } from './model.ts'
import { Picture } from './picture.ts'
import { writeStream } from './stream.ts'
import { Table } from './table.ts'
import { bytesText, eventText, healthText, plainText, troubleText } from './text.ts'
import { counted, durationText, shortId } from '../../events/quantity.ts'

export { plainEvent, plainText, shortId, durationText, type Take }

/** The interval of updates that depend on time only, ms. */
const TICK = 1_000
/**
 * The least time between two sorts of the table, ms. Guess: changes of a thousand members come in
 * bursts.
 */
const TABLE_TIME = 200
/**
 * The pause after a frame in which nothing moved, ms. Guess: nobody notices this delay of a change.
 */
const STILL = 100
/** The number of events that are shown. Guess: fewer fit on a screen. */
const LOG_LINES = 120

// The theme that the user chose. Default: that of the system.
const chosen = localStorage.getItem('theme')
if (chosen !== null) document.documentElement.dataset['theme'] = chosen

const model = new Model()
const table = new Table(model, find('table'), (id) => picture.select(id))
const picture = new Picture(model, find('picture') as HTMLCanvasElement, (id) => table.select(id))
const search = find('search') as HTMLInputElement
const help = find('help') as HTMLDialogElement

let tableVersion = ''
let tableAt = -Infinity
let logged: object | undefined
let isLive = false
let stateText: string | undefined
let colours = readColours()

/** Shows the pool. `follow` connects the page to the source of its events. */
export function showPage(follow: Follow): void {
  follow(take, (live, text) => {
    isLive = live
    stateText = text
    writeAll()
  })
  requestAnimationFrame(frame)
  setInterval(tick, TICK)
}

function take(event: Told): void {
  if (event.event === 'snapshot') setNodeTime(event.time)
  model.take(event, event.time)
  if (event.event === 'snapshot' || event.event === 'jobs') {
    writeJobs(find('jobs'), model, nodeTime())
    writeStrips()
  }
  if (event.event === 'snapshot' || event.event === 'leases' || event.event === 'services') writeLeases()
  if (event.event === 'snapshot' || event.event === 'figures' || event.event === 'health' || event.event === 'detection') writeAll()
}

function frame(now: number): void {
  // Each frame costs a browser a millisecond, even if nothing changes.
  if (picture.draw()) requestAnimationFrame(frame)
  else setTimeout(() => requestAnimationFrame(frame), STILL)
  const version = `${model.membersVersion} ${model.linksVersion}`
  if (version !== tableVersion && now - tableAt >= TABLE_TIME) {
    tableVersion = version
    tableAt = now
    table.update()
    writeAll()
  }
  if (model.history.past.events.at(-1) !== logged) writeLog()
}

function tick(): void {
  model.sweep(nodeTime())
  table.update()
  writeStrips()
  writeLeases()
  writeAll()
}

function writeStrips(): void {
  writeStream(find('stream'), model.stream.view(nodeTime()), locationOf)
}

function writeLeases(): void {
  writeAllocation(find('leases'), model, nodeTime())
}

/** Returns the location of a member, by which the page names it. */
export function locationOf(member: string): string {
  return model.members.get(member)?.location ?? ''
}

function write(id: string, text: string): void {
  const element = find(id)
  if (element.textContent !== text) element.textContent = text
}

function writeAll(): void {
  const { pool, version, self, health, figures, entered = 0, here, history } = model
  const { sizes, detections } = history.past
  document.title = pool === '' ? 'jel' : `${pool}: ${counted(here, 'member')}`
  write('pool', pool)
  write('self', self === undefined ? '' : `${shortId(self.id)} · ${self.location}`)
  find('self').title = self === undefined ? '' : `${self.id}\n${self.addresses.join('\n')}`
  const state = model.stopped
    ? 'has left'
    : isLive
      ? health !== undefined && healthLevel(health) === 'bad'
        ? 'cut off'
        : 'live'
      : (stateText ?? 'no answer')
  write('live', state)
  find('live').className = state === 'live' ? 'good' : stateText === undefined ? 'bad' : ''
  write('members', String(here))
  write('shown', table.count === model.members.size ? '' : `${table.count} of ${model.members.size}`)
  write('links', String(model.edges.length))
  write('links-own', health === undefined ? '' : `${health.links} of this node`)
  write('uptime', self === undefined ? '' : durationText(nodeTime() - entered))
  write('version', version)
  write('health', health === undefined ? '' : healthText(health))
  find('health').className = health === undefined ? '' : healthLevel(health)
  const trouble = health === undefined ? '' : troubleText(health)
  write('health-more', trouble)
  find('health-more').title = trouble
  writeLedger(find('ledger'), model.ledger)
  write('memory', figures === undefined ? '' : figures.memory === 0 ? '–' : bytesText(figures.memory))
  write('memory-more', figures === undefined || figures.memory === 0 ? '' : `${figures.processor.toFixed(1)} s processor`)
  write('traffic', figures === undefined ? '' : bytesText(figures.sent + figures.received))
  write('traffic-more', figures === undefined ? '' : `${bytesText(figures.sent)} sent`)
  write('detection', detections.length === 0 ? '–' : `${medianOf(detections).toFixed(1)} s`)
  write('detection-more', detections.length === 0 ? 'no deaths' : `median of ${detections.length}`)
  const axis = timeAxisOf([sizes, detections], nodeTime())
  drawChart(find('sizes') as HTMLCanvasElement, sizes, axis, { kind: 'steps', colour: 'accent', format: String }, colours)
  const seconds = (value: number): string => `${value} s`
  drawChart(find('detections') as HTMLCanvasElement, detections, axis, { kind: 'marks', colour: 'bad', format: seconds }, colours)
  writeRoles()
  writeSites()
  picture.touch()
}

function writeRoles(): void {
  const roles = model.roles.sort((one, other) => (one.election < other.election ? -1 : 1))
  const items = roles.map(({ election, epoch, node: { id, location } }) => [id, election, shortId(id), location, `epoch ${epoch}`] as const)
  if (items.length === 0) fill('roles', ['no election has a winner'], (text) => line('none', [text]))
  else fill('roles', items, ([id, ...texts]) => line('role', texts, () => table.select(id)))
}

function writeSites(): void {
  const { sites } = picture
  const items = sites.length < 2 ? [] : sites.slice(0, 12).map((site) => [site, picture.hueOf(site)] as const)
  fill('sites', items, ([site, hue]) => {
    const item = line('site', [site], () => setSearch(site))
    item.style.setProperty('--hue', hue)
    return item
  })
}

function writeLog(): void {
  const { events } = model.history.past
  logged = events.at(-1)
  const lines = events.slice(-LOG_LINES).reverse()
  find('log').replaceChildren(
    ...lines.map((event) => {
      const [kind, clock] = [event.event, new Date(event.time).toTimeString().slice(0, 8)]
      return line(`entry ${kind}`, [clock, kind, eventText(event)])
    }),
  )
}

function setSearch(text: string): void {
  search.value = text
  table.search(text)
  writeAll()
}

search.addEventListener('input', () => setSearch(search.value))
find('theme').onclick = () => toggleTheme()
find('ask').onclick = () => help.showModal()

/** Switches between dark and light. The system's choice is the default. */
function toggleTheme(): void {
  const { dataset } = document.documentElement
  const isDark = (dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  dataset['theme'] = isDark ? 'light' : 'dark'
  localStorage.setItem('theme', dataset['theme'])
  recolour()
}

/** Draws in the colours of the present theme. */
function recolour(): void {
  colours = readColours()
  picture.recolour(colours)
  writeAll()
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour)

/** Opens the panel of watched values. The page of a browser member hides this panel. */
function openWatch(): void {
  const panel = find('watch') as HTMLDetailsElement
  if (panel.hidden) return
  panel.open = true
  panel.querySelector('input')?.focus()
}

const keys: Readonly<Record<string, () => void>> = {
  j: () => table.move(1),
  ArrowDown: () => table.move(1),
  k: () => table.move(-1),
  ArrowUp: () => table.move(-1),
  PageDown: () => table.move(10),
  PageUp: () => table.move(-10),
  g: () => table.move(-Infinity),
  G: () => table.move(Infinity),
  '/': () => search.focus(),
  '?': () => help.showModal(),
  w: openWatch,
  t: toggleTheme,
  Escape: () => {
    table.select(undefined)
    setSearch('')
  },
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return
  if (event.target === search) {
    if (event.key === 'Escape') setSearch('')
    if (event.key === 'Escape' || event.key === 'Enter') search.blur()
    return
  }
  if (event.target instanceof HTMLInputElement) return
  // A list with the focus scrolls.
  const list = event.target instanceof Element ? event.target.closest('[tabindex]') : null
  if (list !== null && list.id !== 'table' && /^(?:Arrow|Page)/u.test(event.key)) return
  const act = keys[event.key]
  if (act === undefined) return
  event.preventDefault()
  act()
})
