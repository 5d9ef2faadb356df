/**
 * Two hosts 30 ms apart, the second behind a link of 8 Mbit/s. Prints the measurements of the first
 * one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { keep, takeChildrenAlong } from '../src/base/child.ts'
import { LabNetwork } from '../src/network/network.ts'
import { rerunInOwnNamespaces } from '../src/network/namespaces.ts'

const PORT = '4001'
const echo = join(import.meta.dirname, 'echo.ts')

async function main(): Promise<number> {
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const wide = { up: undefined, down: undefined }
  const span = { min: 30, max: 30 }
  const sites = [
    { name: 'near', gateway: wide, dialable: true },
    { name: 'far', gateway: { up: 8e6, down: undefined }, dialable: true },
  ]
  const spans = sites.map(() => sites.map(() => span))
  const network = new LabNetwork(2, { sites, spans }, { sites: [0, 1] })
  await network.ready
  const [first, second] = network.hosts
  if (first === undefined || second === undefined) throw new Error('two hosts were asked for')
  const [nsenter = '', ...rest] = network.within(second)
  const server = keep(spawn(nsenter, [...rest, process.execPath, echo, 'serve', PORT], { stdio: ['ignore', 'pipe', 'inherit'] }))
  await once(server.stdout, 'data')
  const asking = keep(
    spawn(nsenter, [...network.within(first).slice(1), process.execPath, echo, 'ask', second.address, PORT], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  )
  await once(asking, 'exit')
  server.kill()
  return 0
}

process.exit(await main())
