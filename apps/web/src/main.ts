/** The page: it enters a pool, and shows the pool as the tab itself sees it. */
import { plainEvent, showPage, type Take } from '@jel/node/page'
import { ComputePanel } from './compute-panel.ts'
import { Connection } from './connection.ts'
import { Entrance } from './entrance.ts'
import { readFragment, servedBy, type Wanted } from './fragment.ts'
import { plainProblem } from './refusal.ts'

/** The connection to the member, once there is a pool. A page has one pool. */
let connection: Connection | undefined
let wanted = readFragment(location.hash)
let isMember = false
let take: Take = () => {}
let setLive: (live: boolean, text?: string) => void = () => {}

const entrance = new Entrance({ onEnter: enter, onLeave: leave })
const panel = new ComputePanel({ onStart: (workers) => connection?.compute(workers), onStop: () => connection?.stop() })

showPage((taken, isLive) => {
  take = taken
  setLive = isLive
})
if (wanted === undefined) ask('')
else enter(wanted.key === undefined ? { ...wanted, ...remembered(wanted.pool) } : wanted)

function enter(chosen: Wanted): void {
  wanted = chosen
  const { pool, key } = chosen
  // The key does not stay in the address.
  history.replaceState(undefined, '', `#${encodeURIComponent(pool)}`)
  setLive(false, `entering ${pool} …`)
  entrance.entering()
  isMember = false
  connection ??= new Connection(pool, {
    onEvent: (line) => {
      isMember = true
      // So a reload does not ask for the key. The browser forgets the key when the tab closes.
      if (key !== undefined) sessionStorage.setItem(keyName(pool), key)
      setLive(true)
      entrance.entered()
      panel.show()
      take(plainEvent(line))
    },
    onWork: (work, problem) => panel.take(work, problem),
    onFailed: (code, message) => ask(plainProblem(code, message, chosen), message),
    onLeft: () => {
      sessionStorage.removeItem(keyName(pool))
      ask('')
      setLive(false, 'left')
    },
  })
  connection.enter({ pool, key, bootstrap: [servedBy(location)], location: place() })
}

/** Leaves the pool, or cancels the attempt to enter it. */
function leave(): void {
  if (isMember) connection?.leave()
  else ask('')
}

function keyName(pool: string): string {
  return `key of ${pool}`
}

function remembered(pool: string): { readonly key?: string } {
  const key = sessionStorage.getItem(keyName(pool))
  return key === null ? {} : { key }
}

/** `more`: the problem in technical terms. */
function ask(problem: string, more = ''): void {
  setLive(false, 'not in a pool')
  isMember = false
  panel.hide()
  connection?.close()
  connection = undefined
  entrance.ask(wanted?.pool, problem, more)
}

// The browser may show a closed page again from its cache. The member of that page may have ended,
// so the page enters again.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && wanted !== undefined) enter(wanted)
})

/** Returns the location of the member, by which others see the kind of the browser. */
function place(): string {
  const [, name] = /(Firefox|Edg|Chrome|Safari)\//u.exec(navigator.userAgent) ?? []
  return `${name === undefined ? 'browser' : name.replace('Edg', 'Edge')}@tab`
}
