import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { MemberResultJson } from '../src/events/events.ts'
import { join1, run, runtime, type JelProcess, type Kind } from './jel-process.ts'

const file = (name: string): string => join(runtime, name)

async function poolKey(name: string): Promise<string> {
  expect(await run('keygen', '--key-file', file(name))).toMatchObject({ status: 0 })
  return file(name)
}

/** Makes the key of an administrator. */
async function adminKey(name: string): Promise<{ readonly key: string; readonly id: string }> {
  const { lines } = await run('keygen', '--identity', file(name))
  return { key: file(name), id: lines[0] as string }
}

/** Starts a member of a private pool for each list of flags. Each member has a log. */
async function privatePool(name: string, key: string, ...flags: (readonly string[])[]): Promise<JelProcess[]> {
  const nodes: JelProcess[] = []
  for (const [place, more] of flags.entries()) {
    const bootstrap = nodes[0] === undefined ? [] : ['--bootstrap', nodes[0].address]
    nodes.push(await join1(name, '--key-file', key, '--log-file', file(`${name}-${place}.log`), ...bootstrap, ...more))
  }
  await Promise.all(nodes.map((node) => node.until(() => node.of('joined').length === nodes.length, 'all joined')))
  return nodes
}

const logOf = (pool: string, place: number): string => readFileSync(file(`${pool}-${place}.log`), 'utf8')

/** Gives a command for all members to one of them. */
async function keysOfAll(
  pool: string,
  node: JelProcess,
  ...args: string[]
): Promise<{ status: number | NodeJS.Signals; members: Map<string, MemberResultJson>; stderr: string }> {
  const { status, lines, stderr } = await run('keys', pool, ...args, '--all', '--json', '--node', node.id.slice(-8))
  const members = lines.map((line) => (JSON.parse(line) as Kind<'keys'>).members ?? []).flat()
  return { status, members: new Map(members.map((each) => [each.node, each])), stderr }
}

it('one command changes the key of a whole pool, and mends a member that stood still', async () => {
  const [former, next, admin] = await Promise.all([poolKey('former'), poolKey('next'), adminKey('admin')])
  const taken = ['--admin', admin.id]
  const nodes = await privatePool('orders', former, taken, taken, taken, taken, taken)
  const [first, second, stopped] = nodes as [JelProcess, JelProcess, JelProcess]
  const all = async (node: JelProcess, ...args: string[]): ReturnType<typeof keysOfAll> =>
    await keysOfAll('orders', node, ...args, '--admin-key', admin.key)
  const primaries = async (): Promise<(string | undefined)[]> => {
    const { status, members } = await all(first, 'list')
    expect(status).toBe(0)
    return nodes.map(({ id }) =>
      members
        .get(id)
        ?.keys?.map((key) => `${key.id}${key.primary ? ' primary' : ''}`)
        .join(),
    )
  }
  const [old] = (await primaries()).map((keys) => keys?.slice(0, 16)) as [string]

  stopped.child.kill('SIGSTOP')
  const partly = await all(first, 'install', next)
  expect(partly.status).toBe(1)
  for (const { id } of nodes) {
    const result = id === stopped.id ? { result: 'no answer', reason: 'none within 5 s' } : { result: 'done' }
    expect(partly.members.get(id)).toMatchObject(result)
  }
  const early = await all(first, 'use', next)
  expect(early.status).toBe(1)
  expect(early.stderr).toContain(`nothing was changed, since some members are not ready: ${stopped.id}`)
  stopped.child.kill('SIGCONT')

  const mended = await all(first, 'install', next)
  expect(mended.status).toBe(0)
  const added = mended.members.get(stopped.id)?.keys?.find(({ id }) => id !== old)?.id as string
  const tooEarly = await all(first, 'remove', old)
  expect(tooEarly.status).toBe(1)
  for (const { id } of nodes) expect(tooEarly.stderr).toContain(id)
  expect(tooEarly.stderr).toContain('it still uses the key')
  expect(await primaries()).toEqual(nodes.map(() => `${old} primary,${added}`))

  // Any member passes the orders on.
  expect(await all(second, 'use', added)).toMatchObject({ status: 0 })
  expect(await all(second, 'remove', former)).toMatchObject({ status: 0 })
  expect(await primaries()).toEqual(nodes.map(() => `${added} primary`))
  expect((await all(first, 'remove', old)).stderr).toContain('no member has this key')
  for (const node of nodes) expect(node.told('died')).toEqual([])

  // A member that died may come back with its old keys. It is named, but it is not missing.
  const dead = nodes[4] as JelProcess
  dead.child.kill('SIGKILL')
  await first.until(() => first.told('died').includes(dead.id), 'died')
  const rest = await all(first, 'list')
  expect(rest.status).toBe(0)
  expect([...rest.members.values()].map(({ result }) => result)).toEqual(['done', 'done', 'done', 'done', 'died'])
  expect(rest.members.get(dead.id)?.reason).toContain('it may come back with its old state')

  const log = logOf('orders', 2)
  for (const step of [`install the key ${added}`, `use the key ${added}`, `remove the key ${old}`]) expect(log).toContain(step)
  expect(log).toContain(`by=${admin.id}`)
  const secret = readFileSync(next, 'utf8').split('\n')[2] as string
  for (const place of nodes.keys()) expect(logOf('orders', place)).not.toContain(secret)
})

it('a member takes orders only of its administrators, and says how to allow them', async () => {
  const [key, next, admin, stranger] = await Promise.all([poolKey('k'), poolKey('n'), adminKey('one'), adminKey('stranger')])
  const [asked, closed, open] = (await privatePool('refusing', key, [], [], ['--admin', admin.id])) as [JelProcess, JelProcess, JelProcess]
  const of = async (file: string, ...args: string[]): ReturnType<typeof keysOfAll> =>
    await keysOfAll('refusing', asked, ...args, '--admin-key', file)
  const by = await of(stranger.key, 'install', next)
  expect(by.status).toBe(1)
  expect(by.members.get(open.id)).toMatchObject({
    result: 'refused',
    reason: expect.stringContaining(`${stranger.id} is no administrator`),
  })
  expect(by.members.get(closed.id)).toMatchObject({ result: 'refused', reason: expect.stringContaining('start it with --admin') })
  expect(logOf('refusing', 2)).toContain(`ORDER_REFUSED install: ${stranger.id} is no administrator`)
  expect(logOf('refusing', 1)).toContain(`member=${asked.id}`)
  const [own] = (await run('keys', 'refusing', '--node', open.id.slice(-8))).lines
  expect(own).toMatch(/^[0-9a-f]{16} primary$/u)

  // The member that takes no orders keeps the next step from beginning.
  expect((await of(admin.key, 'install', next)).members.get(open.id)).toMatchObject({ result: 'done' })
  const early = await of(admin.key, 'use', next)
  expect(early).toMatchObject({ status: 1, stderr: expect.stringContaining(closed.id) })
  expect(early.stderr).not.toContain(`${open.id} (`)
  for (const args of [['--all'], ['--admin-key', admin.key]]) expect(await run('keys', 'refusing', ...args)).toMatchObject({ status: 2 })
})

it('one command changes the allow lists of all members, and the removed node is out', async () => {
  const [key, admin, guest, late] = await Promise.all([poolKey('list'), adminKey('list-admin'), adminKey('guest'), adminKey('late')])
  const own = await Promise.all(['a', 'b'].map(async (each) => await adminKey(`list-${each}`)))
  const flags = (identity: string): string[] => [
    '--identity',
    identity,
    '--admin',
    admin.id,
    ...[...own, guest].flatMap(({ id }) => ['--allow', id]),
  ]
  const nodes = await privatePool('allowing', key, ...[...own, guest].map((each) => flags(each.key)))
  const [first, second, removed] = nodes as [JelProcess, JelProcess, JelProcess]
  const all = async (...args: string[]) =>
    await run('allow', 'allowing', ...args, '--all', '--admin-key', admin.key, '--node', first.id.slice(-8))

  expect(await all('add', late.id)).toMatchObject({ status: 0, lines: expect.arrayContaining(['3 of 3 members']) })
  const listed = await run('allow', 'allowing', '--node', second.id.slice(-8))
  expect(listed.lines).toEqual([...own, guest, late].map(({ id }) => id).toSorted())
  const entered = await join1('allowing', '--key-file', key, '--bootstrap', first.address, ...flags(late.key))
  await entered.until(() => entered.of('joined').length === 4, 'the added node has joined')

  const without = await all('remove', removed.id)
  expect(without).toMatchObject({ status: 0, lines: expect.arrayContaining(['3 of 3 members']) })
  await first.until(() => first.told('died').includes(removed.id), 'the removed node is out')
  expect(logOf('allowing', 1)).toContain(`ORDER disallow ${removed.id} by=${admin.id}`)
  for (const [args, problem] of [
    [['add', 'somebody'], 'is no id of a node'],
    [['remove', first.id, '--all', '--admin-key', admin.key], 'by an order at another node'],
    [['remove'], 'name the id of the node'],
  ] as const)
    expect((await run('allow', 'allowing', ...args, '--node', first.id.slice(-8))).stderr).toContain(problem)
})
