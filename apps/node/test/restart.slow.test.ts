import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { join1, type JelProcess } from './jel-process.ts'

const count = 20
const folder = mkdtempSync(join(tmpdir(), 'jel-restart-'))
afterAll(() => rmSync(folder, { recursive: true }))

it(`${count} processes are restarted one after the other without an introducer, and are one pool`, { timeout: 600_000 }, async () => {
  const identity = (i: number): string => join(folder, `${i}`)
  const start = async (i: number, ...args: string[]): Promise<JelProcess> => await join1('restart', '--identity', identity(i), ...args)
  const nodes = [await start(0)]
  while (nodes.length < count) nodes.push(await start(nodes.length, '--bootstrap', nodes[0]!.address))
  await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length === count, 'all joined', 60_000)))
  for (const [i, node] of nodes.entries())
    await node.until(() => statSync(`${identity(i)}.peers`, { throwIfNoEntry: false }) !== undefined, 'peers')

  for (const [i, former] of nodes.entries()) {
    // Some nodes die without a leave.
    const { id } = former
    const others = nodes.filter((node) => node !== former)
    former.child.kill(i % 5 === 4 ? 'SIGKILL' : 'SIGTERM')
    await former.exited
    const again = await start(i)
    nodes[i] = again
    expect(again.id).toBe(id)
    await again.until(() => again.of('joined').length >= count, `${i} has found the pool again`, 30_000)
    const { incarnation } = again.of('started')[0]!.node
    const isBack = ({ node }: { node: { id: string; incarnation: number } }): boolean => node.id === id && node.incarnation === incarnation
    await Promise.all(others.map((node) => node.until(() => node.of('joined').some(isBack), `${i} is back`, 30_000)))
  }
  const ids = nodes.map(({ id }) => id).toSorted()
  for (const node of nodes) {
    node.send({ command: 'members', id: 'm' })
    const answer = await node.answer('m')
    expect(answer.event === 'members' && answer.nodes.map(({ id }) => id).toSorted()).toEqual(ids)
    expect(node.of('error')).toEqual([])
  }
})
