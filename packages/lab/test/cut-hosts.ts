/**
 * Refuses connections between two hosts. Prints the error of a new connection, and the end of a
 * standing one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { keep, takeChildrenAlong } from '../src/base/child.ts'
import { LabNetwork } from '../src/network/network.ts'
import { rerunInOwnNamespaces } from '../src/network/namespaces.ts'

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

async function main(): Promise<number> {
  const status = await rerunInOwnNamespaces()
  if (status !== undefined) return status
  takeChildrenAlong()
  const network = new LabNetwork(2)
  const [first, second] = network.hosts
  if (first === undefined || second === undefined) throw new Error('two hosts were asked for')
  const start = (host: typeof first, script: string, ...args: string[]) => {
    const [nsenter = '', ...within] = network.within(host)
    return keep(spawn(nsenter, [...within, process.execPath, '-e', script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
  }
  const server = start(second, SERVER)
  await once(server.stdout, 'data')
  const talker = start(first, TALKER, second.address)
  talker.stdout.pipe(process.stdout)
  await once(talker.stdout, 'data')
  const mend = [network.refuse([first], [second]), network.refuse([second], [first])]
  await once(talker, 'exit')
  for (const each of mend) each()
  const again = start(first, TALKER, second.address)
  again.stdout.pipe(process.stdout)
  await once(again.stdout, 'data')
  return 0
}

process.exit(await main())
