/** The page that a node serves: its events come from the node, and so do watched values. */
import { follow } from './feed.ts'
import { locationOf, showPage } from './show.ts'
import { showWatch } from './watch.ts'

showPage(follow)
showWatch(document.getElementById('watch') as HTMLDetailsElement, locationOf)
