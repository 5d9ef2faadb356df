import { takeChildrenAlong } from './base/child.ts'
import { LabNetwork } from './network/network.ts'
import { provide } from './network/tools.ts'
import { rerunInOwnNamespaces, runId } from './network/namespaces.ts'
import { jel } from './field/jel.ts'
import { trial } from './field/trial.ts'
const [bin = '', nodes = '40', partition = '40', heals = '2'] = process.argv.slice(2)
provide('network')
const status = await rerunInOwnNamespaces()
if (status !== undefined) process.exit(status)
takeChildrenAlong()
const network = new LabNetwork(3)
const course = {
  only: new Set(['flash', 'heal']),
  nodes: +nodes,
  hosts: network.hosts.slice(0, 2),
  repeats: 1,
  heals: +heals,
  perHost: 1,
  settle: 3000,
  idle: 1000,
  partition: +partition * 1000,
}
await trial(jel(bin, 'x'), network, course as never, `heal-${runId()}`, (text) => console.log(new Date().toISOString(), text))
process.exit(0)
