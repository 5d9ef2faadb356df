import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePoolKey } from '@jel/jel'
import { afterAll, expect, it } from 'vitest'
import { JelProcess, join1, loopback, type Kind } from './jel-process.ts'

const count = 20
const folder = mkdtempSync(join(tmpdir(), 'jel-rotation-'))
afterAll(() => rmSync(folder, { recursive: true }))

function keyFile(name: string): { file: string; text: string } {
  const file = join(folder, name)
  const text = Buffer.from(generatePoolKey()).toString()
  writeFileSync(file, text, { mode: 0o600 })
  return { file, text }
}

it(`a pool of ${count} processes changes its key, and no member is reported as dead`, { timeout: 600_000 }, async () => {
  const [former, next] = [keyFile('former'), keyFile('next')]
  const first = await join1('rotation', '--key-file', former.file)
  const nodes = [first]
  while (nodes.length < count) nodes.push(await join1('rotation', '--key-file', former.file, '--bootstrap', first.address))
  await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length === count, 'all joined', 60_000)))

  let asked = 0
  const ask = async (node: JelProcess, fields: object): Promise<Kind<'keys'>> => {
    const id = `${asked++}`
    node.send({ command: 'keys', id, ...fields })
    const answer = await node.answer(id)
    if (answer.event !== 'keys') throw new Error(JSON.stringify(answer))
    return answer
  }
  const all = async (fields: object): Promise<void> => {
    for (const node of nodes) await ask(node, fields)
  }
  const [before] = (await ask(first, {})).keys
  await all({ do: 'install', key: next.text })
  const added = (await ask(first, {})).keys.find(({ id }) => id !== before!.id)!
  await all({ do: 'use', key: added.id })
  // The pool works after each step: newcomers with either key can enter.
  const late = await join1('rotation', '--key-file', former.file, '--bootstrap', first.address)
  await late.until(() => late.of('joined').length === count + 1, 'let in by the former key')
  late.send({ command: 'leave' })
  await late.exited
  await all({ do: 'remove', key: before!.id })
  for (const node of nodes) expect((await ask(node, {})).keys).toEqual([{ id: added.id, primary: true }])

  // A node with only the former key stays out, and gets an error. A node with the new key enters
  // through any member.
  const stranger = new JelProcess([
    'join',
    'rotation',
    '--json',
    ...loopback,
    '--key-file',
    former.file,
    '--bootstrap',
    first.address,
    '--require',
    '2',
    '--timeout',
    '3',
  ])
  expect(await stranger.exited).toBe(1)
  await first.until(() => first.of('error').some(({ code }) => code === 'PEER_REFUSED'), 'that it was refused')
  expect(first.of('error').find(({ code }) => code === 'PEER_REFUSED')?.message).toContain('none of the pool keys')
  const newcomer = await join1('rotation', '--key-file', next.file, '--bootstrap', nodes.at(-1)!.address)
  await newcomer.until(() => newcomer.of('joined').length === count + 1, 'let in by the new key', 30_000)
  await Promise.all(nodes.map((node) => node.until(() => node.told('joined').includes(newcomer.id), 'the newcomer', 30_000)))
  for (const node of [...nodes, newcomer]) expect(node.told('died')).toEqual([])
})
