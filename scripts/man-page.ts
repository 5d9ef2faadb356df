/** Writes apps/node/dist/jel.1, the man page, from the commands and their flags. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from '../apps/node/src/command-line.ts'
import { manPage } from '../apps/node/src/reference/man-page.ts'
import { manifestOf, root } from './workspace.ts'

const { version } = manifestOf('apps/node')
const dist = join(root, 'apps/node/dist')
mkdirSync(dist, { recursive: true })
writeFileSync(
  join(dist, 'jel.1'),
  manPage(
    commandLine('', version, () => {}),
    version,
  ),
)
