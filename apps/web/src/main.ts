/** The page: it enters a pool, and shows the pool as the tab itself sees it. */
import { plainEvent, showPage, type Take } from '@jel/node/page'
import { ComputePanel } from './compute-panel.ts'
import { Connection } from './connection.ts'
import { Entrance } from './entrance.ts'
import { readFragment, servedBy, type Wanted } from './fragment.ts'

/** The connection to the member, once there is a pool. A page has one pool. */
let connection: Connection | undefined
let wanted = readFragment(location.hash)
let take: Take = () => {}
let setLive: (live: boolean) => void = () => {}

const entrance = new Entrance({ onEnter: enter, onLeave: () => connection?.leave() })
const panel = new ComputePanel({ onStart: (workers) => connection?.compute(workers), onStop: () => connection?.stop() })

showPage((taken, isLive) => {
  take = taken
  setLive = isLive
})
if (wanted === undefined) entrance.ask()
else enter(wanted)

function enter(chosen: Wanted): void {
  wanted = chosen
  const { pool, key } = chosen
  // The key does not stay in the address.
  history.replaceState(undefined, '', `#${encodeURIComponent(pool)}`)
  connection ??= new Connection(pool, {
    onEvent: (line) => {
      setLive(true)
      entrance.entered()
      panel.show()
      take(plainEvent(line))
    },
    onWork: (work) => panel.take(work),
    onFailed: (code, message) => ask(`${code}: ${message}`),
    onLeft: () => ask('This tab has left the pool.'),
  })
  connection.enter({ pool, key, bootstrap: [servedBy(location)], location: place() })
}

function ask(problem: string): void {
  setLive(false)
  panel.hide()
  connection?.close()
  connection = undefined
  entrance.ask(wanted?.pool, problem)
}

// The browser may show a page again that had gone, and its member with it.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted && wanted !== undefined) enter(wanted)
})

/** Others see the kind of the browser. */
function place(): string {
  const [, name] = /(Firefox|Edg|Chrome|Safari)\//u.exec(navigator.userAgent) ?? []
  return `${name === undefined ? 'browser' : name.replace('Edg', 'Edge')}@tab`
}
