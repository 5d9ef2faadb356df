import { expect, it } from 'vitest'
import { joinAll, JelProcess } from './jel-process.ts'

/** Runs `jel info` at a node. */
async function info(node: JelProcess, pool: string, ...args: string[]) {
  const asking = new JelProcess(['info', pool, '--node', node.id.slice(-8), ...args])
  const status = await asking.exited
  return { lines: asking.lines, stderr: asking.stderr, status }
}

it('jel info shows attributes of all members, or of those and of the names that are given', async () => {
  const nodes = (await joinAll('informed', 3)) as [JelProcess, JelProcess, JelProcess]
  const all = await info(nodes[0], 'informed', 'system.memory.limit', '--json')
  expect(all.status).toBe(0)
  const { members } = JSON.parse(all.lines[0] as string) as { members: { node: string; readings: { value: number }[] }[] }
  expect(members.map(({ node }) => node).sort()).toEqual(nodes.map(({ id }) => id).sort())
  expect(new Set(members.map(({ readings }) => readings[0]?.value)).size).toBe(1)

  const end = nodes[1].id.slice(-8)
  const one = await info(nodes[0], 'informed', end, 'system.cpu.logical.count', 'system.memory.usage')
  expect(one.lines).toHaveLength(3)
  expect(one.lines[1]).toMatch(new RegExp(`^${end} +\\S+ +system\\.cpu\\.logical\\.count +\\d+ +\\{cpu\\} +\\d+ ms$`, 'u'))

  const wrong = await info(nodes[0], 'informed', end, 'memory.usage')
  expect(wrong.status).toBe(1)
  expect(wrong.lines[1]).toContain('did you mean system.memory.usage?')
  expect((await info(nodes[0], 'informed', end, '--schema')).lines.find((line) => line.includes('load_average.1m'))).toContain('{thread}')
  expect((await info(nodes[0], 'informed', 'ZZZZZZZZ')).stderr).toContain('no member has an id that ends with "ZZZZZZZZ"')
  expect((await info(nodes[0], 'informed', '--quality', '101')).stderr).toContain('from 0 to 100')
})

it('jel info asks a member whose process is stopped for as long as it is told, and shows the others', async () => {
  const nodes = (await joinAll('stopped', 3)) as [JelProcess, JelProcess, JelProcess]
  nodes[2].child.kill('SIGSTOP')
  try {
    const shown = await info(nodes[0], 'stopped', 'system.uptime', '--timeout', '1')
    expect(shown.status).toBe(1)
    const silent = shown.lines.find((line) => line.startsWith(nodes[2].id.slice(-8)))
    expect(silent).toMatch(/no answer within|unreach|can/u)
    expect(shown.lines.filter((line) => / s +\d+ ms$/u.test(line))).toHaveLength(2)
  } finally {
    nodes[2].child.kill('SIGCONT')
  }
})

it('jel watch shows samples until it is stopped, and only those that a condition selects', async () => {
  const nodes = (await joinAll('watched', 2)) as [JelProcess, JelProcess]
  const watch = (...args: string[]): JelProcess => new JelProcess(['watch', 'watched', '--node', nodes[0].id.slice(-8), ...args])
  const all = watch('system.uptime', '--every', '0.2', '--json')
  const some = watch('system.uptime', '--every', '0.2', '--when', 'system.uptime > 1', '--member', nodes[1].id)
  await expect.poll(() => all.lines.length).toBeGreaterThan(5)
  const members = all.lines.map((line) => (JSON.parse(line) as { member: string }).member)
  expect(new Set(members)).toEqual(new Set(nodes.map(({ id }) => id)))
  expect(JSON.parse(all.lines[0] as string)).toMatchObject({ event: 'sample', name: 'system.uptime', unit: 's', replayed: false })
  nodes[1].child.kill('SIGKILL')
  await expect.poll(() => all.lines.some((line) => line.includes('"reason":"died"'))).toBe(true)
  all.child.kill('SIGINT')
  some.child.kill('SIGINT')
  expect([await all.exited, await some.exited]).toEqual([0, 0])
  const end = `…${nodes[1].id.slice(-8)}`
  expect(some.lines).toEqual([
    expect.stringMatching(new RegExp(`^[\\d:]+ ${end} system\\.uptime [\\d.]+ s, the condition holds$`, 'u')),
    `${end} died`,
  ])
  const wrong = watch('system.uptime', '--when', 'load > 1')
  expect(await wrong.exited).toBe(1)
  expect(wrong.stderr).toContain('when: load is not among the watched attributes')
})
