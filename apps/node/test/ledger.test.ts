import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePoolKey } from '@jel/jel'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { join1, run, type JelProcess, type Kind, type Told } from './jel-process.ts'

// All cases share one pool, since its processes take longer to start than the cases.
const pool = 'ledger'
const folder = mkdtempSync(join(tmpdir(), 'jel-'))
const file = (name: string): string => join(folder, name)
const strong = ['--joins', 'reliable', '--elections', 'uniform']

let nodes: JelProcess[] = []
let founder: JelProcess

async function start(name: string, ...args: string[]): Promise<JelProcess> {
  return (await join1(pool, ...strong, '--key-file', file('key'), '--identity', file(name), ...args)).keep()
}

beforeAll(async () => {
  writeFileSync(file('key'), generatePoolKey(), { mode: 0o600 })
  founder = await start('a', '--found-ledger')
  const others = await Promise.all(['b', 'c', 'd'].map(async (name) => await start(name, '--bootstrap', founder.address)))
  nodes = [founder, ...others]
  await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length === 4, '4 joined')))
  // Four members have three voters.
  await Promise.all(nodes.map((node) => node.until(() => node.of('ledger').at(-1)?.voters.length === 3, '3 voters')))
})

afterAll(async () => {
  for (const { child } of nodes) child.kill('SIGKILL')
  await Promise.all(nodes.map(({ exited }) => exited))
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** Gives a command to all nodes, and returns their answers. */
async function askAll(command: object, id: string): Promise<Told[]> {
  for (const node of nodes) node.send({ ...command, id })
  return await Promise.all(nodes.map((node) => node.answer(id)))
}

it('all nodes list the members in one order of joining, the founder first', async () => {
  const answers = (await askAll({ command: 'members', order: 'join' }, 'order')) as Kind<'members'>[]
  const lists = answers.map((answer) => answer.nodes.map(({ id, rank, index }) => ({ id, rank, index })))
  expect(lists[0]?.map(({ rank }) => rank)).toEqual([0, 1, 2, 3])
  expect(lists[0]?.[0]?.id).toBe(founder.id)
  for (const [at, node] of nodes.entries()) {
    expect(lists[at]).toEqual(lists[0])
    const joined = node.of('joined').map(({ node: { id, rank, index } }) => ({ id, rank, index }))
    expect(joined.toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))).toEqual(lists[0])
  }
})

it('messages of all nodes have one order at all nodes, and each the index that its sender is told', async () => {
  const numbers = [1, 2, 3]
  for (const number of numbers) {
    for (const [at, node] of nodes.entries())
      node.send({ command: 'order', name: 'row', payload: Buffer.from(`${at}/${number}`).toString('base64'), id: `row ${number}` })
  }
  await Promise.all(nodes.map((node) => node.until(() => node.of('ordered').length === 12, '12 ordered')))
  const told = (node: JelProcess) =>
    node.of('ordered').map(({ index, name, payloadText, node: { id } }) => ({ index, name, payloadText, id }))
  const first = told(founder)
  for (const node of nodes) expect(told(node)).toEqual(first)
  expect(first.map(({ index }) => index)).toEqual(first.map(({ index }) => index).toSorted((one, other) => one - other))
  for (const [at, node] of nodes.entries()) {
    for (const number of numbers) {
      const { index } = (await node.answer(`row ${number}`)) as Kind<'placed'>
      expect(first.find((each) => each.index === index)).toEqual({ index, name: 'row', payloadText: `${at}/${number}`, id: node.id })
    }
  }
})

it('after the winner crashed the next one has one epoch at all nodes, and the voters confirm it', async () => {
  const reigns = (await askAll({ command: 'elect', election: 'master' }, 'elect')) as Kind<'elected'>[]
  const [reign] = reigns as [Kind<'elected'>]
  for (const each of reigns) expect([each.epoch, each.node.id]).toEqual([reign.epoch, reign.node.id])
  const winner = nodes.find(({ id }) => id === reign.node.id) as JelProcess
  winner.child.kill('SIGKILL')
  await winner.exited
  nodes = nodes.filter((node) => node !== winner)

  const next = (node: JelProcess) => node.of('elected').find(({ epoch }) => epoch > reign.epoch)
  await Promise.all(nodes.map((node) => node.until(() => next(node) !== undefined, 'the next winner')))
  const [{ epoch, node: successor }] = nodes.map(next) as [Kind<'elected'>]
  for (const node of nodes) expect(next(node)).toMatchObject({ epoch, node: { id: successor.id } })
  const ends = nodes.map((node) => node.of('died').map(({ node: { id, rank, index } }) => ({ id, rank, index })))
  expect(ends[0]).toMatchObject([{ id: winner.id, index: expect.any(Number) }])
  for (const end of ends) expect(end).toEqual(ends[0])

  const confirmed = await askAll({ command: 'confirm', election: 'master' }, 'confirm')
  for (const answer of confirmed)
    expect(answer).toMatchObject({ event: 'confirmed', election: 'master', epoch, winner: { id: successor.id } })
  expect(await askAll({ command: 'confirm', election: 'nothing' }, 'none')).toMatchObject(nodes.map(() => ({ epoch: null, winner: null })))
})

it('jel ledger shows the leader and the voters, all of them present again', async () => {
  const isHealed = ({ voters }: Kind<'ledger'>): boolean => voters.length === 3 && voters.every(({ reachable }) => reachable)
  await Promise.all(nodes.map((node) => node.until(() => isHealed(node.of('ledger').at(-1) as Kind<'ledger'>), 'a new voter')))
  const ledgers = (await askAll({ command: 'ledger' }, 'state')) as Kind<'ledger'>[]
  const ids = nodes.map(({ id }) => id).toSorted()
  for (const ledger of ledgers) {
    expect(ledger).toMatchObject({ id: ledgers[0]?.id, generation: 1, state: 'ready', leader: ledgers[0]?.leader })
    expect(ledger.voters.map(({ id }) => id).toSorted()).toEqual(ids)
    expect(ledger.voters.every(({ durable }) => durable)).toBe(true)
    expect(ids).toContain(ledger.leader)
  }
  const { status, lines } = await run('ledger', pool, '--node', (nodes[0] as JelProcess).id)
  expect(status).toBe(0)
  expect(lines).toContain(`leader       ${ledgers[0]?.leader}`)
  expect(lines.filter((line) => /^12D3KooW\w+ +on disk +yes$/u.test(line))).toHaveLength(3)
})

it('a node that was killed comes back with its rank in the same ledger, and its file is sound', async () => {
  const [other] = nodes as [JelProcess]
  const killed = nodes.at(-1) as JelProcess
  const { id: ledger } = killed.of('ledger').at(-1) as Kind<'ledger'>
  killed.child.kill('SIGKILL')
  await killed.exited
  const name = ['a', 'b', 'c', 'd'].find((each) => readFileSync(file(`${each}.ledger`), 'utf8').includes(`"id":"${killed.id}"`)) as string
  const copy = file('copy.ledger')
  copyFileSync(file(`${name}.ledger`), copy)

  const [restarted, sound] = await Promise.all([start(name, '--bootstrap', other.address), run('ledger', 'verify', copy, '--json')])
  nodes = [...nodes.filter((node) => node !== killed), restarted]
  expect(restarted.of('started')[0]?.node).toMatchObject({ id: killed.id, rank: killed.of('started')[0]?.node.rank })
  await restarted.until(() => restarted.of('ledger').length > 0, 'the ledger')
  expect(restarted.of('ledger')[0]).toMatchObject({ id: ledger })
  expect(sound).toMatchObject({ status: 0, stderr: '' })
  const verified = JSON.parse(sound.lines[0] ?? '') as Record<string, unknown>
  expect(verified).toMatchObject({ event: 'verified', pool, id: killed.id, ledger, torn: 0 })
  expect(verified['lastIndex']).toBeGreaterThan(12)

  const bytes = readFileSync(copy)
  const middle = bytes.indexOf('"entries"')
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(copy, bytes)
  expect(await run('ledger', 'verify', copy)).toEqual({
    status: 1,
    lines: [],
    stderr: expect.stringMatching(/^jel: \S+copy\.ledger is damaged at byte \d+\n$/u),
  })
  expect(readFileSync(copy).equals(bytes)).toBe(true)
})

it('wrong usage of a flag is status 2 and one line that names it', async () => {
  const cases: readonly [string, readonly string[]][] = [
    ['--found-ledger: ', ['--found-ledger']],
    ['--founders', [...strong, '--founders', 'nobody']],
    ['--voters', [...strong, '--voters', '2']],
    ['--joins', ['--joins', 'total']],
  ]
  const ends = await Promise.all(cases.map(async ([, flags]) => await run('join', 'p', '--json', ...flags)))
  for (const [at, { status, lines, stderr }] of ends.entries()) {
    expect({ status, lines }).toEqual({ status: 2, lines: [] })
    expect(stderr).toMatch(/^jel: [^\n]+\n$/u)
    expect(stderr).toContain(cases[at]?.[0])
  }
})
