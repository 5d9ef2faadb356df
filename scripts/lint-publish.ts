/** Lints the packed packages. Needs a build first. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packAll } from './packed.ts'

const scratch = await mkdtemp(join(tmpdir(), 'jel-publish-'))
try {
  for await (const { name, problems } of packAll(scratch)) {
    console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name}`)
    for (const problem of problems) console.log(`     ${problem}`)
    if (problems.length > 0) process.exitCode = 1
  }
} finally {
  await rm(scratch, { recursive: true })
}
