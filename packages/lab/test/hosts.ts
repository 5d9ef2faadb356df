/**
 * Two hosts. `far`: they are 30 ms apart, the second behind a link of 8 Mbit/s; prints the
 * measurements of the first one. `cut`: refuses connections between them; prints the error of a new
 * connection, and the end of a standing one.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { takeChildrenAlong } from '../src/base/child.ts'
import { startOn, type LabHost } from '../src/network/host.ts'
import { LabNetwork } from '../src/network/network.ts'
import { rerunInOwnNamespaces } from '../src/network/namespaces.ts'

const PORT = '4001'
const echo = join(import.meta.dirname, 'echo.ts')

/** Talks once a tenth of a second over one connection until it breaks, then connects again. */
const TALKER = `
const { connect } = require('node:net')
const socket = connect(4001, process.argv[1])
socket.on('data', () => setTimeout(() => socket.write('x'), 100))
socket.once('connect', () => socket.write('x'))
socket.once('data', () => console.log('talking'))
socket.once('error', ({ code }) => {
  console.log(code)
  connect(4001, process.argv[1]).once('error', ({ code }) => console.log(code)).once('connect', () => console.log('connected'))
})`
const SERVER = `require('node:net').createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(4001, () => console.log('listening'))`

async function far(): Promise<void> {
  const wide = { up: undefined, down: undefined }
  const span = { min: 30, max: 30 }
  const sites = [
    { name: 'near', gateway: wide, dialable: true },
    { name: 'far', gateway: { up: 8e6, down: undefined }, dialable: true },
  ]
  const network = new LabNetwork(2, { sites, spans: sites.map(() => sites.map(() => span)) }, { sites: [0, 1] })
  await network.ready
  const [first, second] = network.hosts as [LabHost, LabHost]
  await once(startOn(second, [echo, 'serve', PORT]).stdout, 'data')
  const asking = startOn(first, [echo, 'ask', second.address, PORT])
  asking.stdout.pipe(process.stdout)
  await once(asking, 'close')
}

async function cut(): Promise<void> {
  const network = new LabNetwork(2)
  const [first, second] = network.hosts as [LabHost, LabHost]
  const talk = async () => {
    const talker = startOn(first, ['-e', TALKER, second.address])
    talker.stdout.pipe(process.stdout)
    await once(talker.stdout, 'data')
    return talker
  }
  await once(startOn(second, ['-e', SERVER]).stdout, 'data')
  const talker = await talk()
  network.shape((from, to) => (from === to ? undefined : { loss: 1, isRefused: true }))
  await once(talker, 'exit')
  network.heal()
  await talk()
}

const status = await rerunInOwnNamespaces()
if (status !== undefined) process.exit(status)
takeChildrenAlong()
await (process.argv[2] === 'far' ? far() : cut())
process.exit(0)
