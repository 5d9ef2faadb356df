/** The page that a node serves: its events come from the node. */
import { follow } from './feed.ts'
import { showPage } from './show.ts'

showPage(follow)
