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
  expect(one.lines[1]).toMatch(new RegExp(`^…${end} +\\S+ +system\\.cpu\\.logical\\.count +\\d+ +\\{cpu\\} +\\d+ ms$`, 'u'))

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
    const silent = shown.lines.find((line) => line.startsWith(`…${nodes[2].id.slice(-8)}`))
    expect(silent).toMatch(/no answer within|unreach|can/u)
    expect(shown.lines.filter((line) => / s +\d+ ms$/u.test(line))).toHaveLength(2)
  } finally {
    nodes[2].child.kill('SIGCONT')
  }
})

it('jel watch says that no member has a name, which name is like it, and goes on', async () => {
  const [node] = (await joinAll('advised', 2)) as [JelProcess, JelProcess]
  const watch = (...args: string[]): JelProcess =>
    new JelProcess(['watch', 'advised', '--node', node.id.slice(-8), '--every', '0.2', ...args])
  const wrong = watch('system.cpu.utilisation', 'system.uptime', '--json')
  const site = watch('memory.usage', '--by-site')
  const right = watch('system.uptime')
  const advice = 'no member has the attribute "system.cpu.utilisation" yet; did you mean system.cpu.utilization?'
  await expect.poll(() => wrong.stderr).toBe(`jel: ${advice}\n`)
  await expect.poll(() => site.stderr).toContain('did you mean system.memory.usage?')
  expect(wrong.of('notice')).toMatchObject([{ code: 'NO_ATTRIBUTE', message: advice, pool: 'advised' }])
  const before = wrong.of('sample').length
  await expect.poll(() => wrong.of('sample').length).toBeGreaterThan(before + 2)
  await expect.poll(() => right.lines.length).toBeGreaterThan(5)
  expect([right.stderr, site.lines]).toEqual(['', []])
  for (const each of [wrong, site, right]) each.child.kill('SIGINT')
  expect(await Promise.all([wrong, site, right].map(({ exited }) => exited))).toEqual([0, 0, 0])
})

it('jel watch says that it waits where no member is chosen, and for which names that are no constants', async () => {
  const [node] = (await joinAll('chosen', 1, '--constant', 'room=attic')) as [JelProcess]
  const watch = (...args: string[]): JelProcess =>
    new JelProcess(['watch', 'chosen', 'system.uptime', '--node', node.id.slice(-8), ...args])
  const waiting = 'jel: no member is chosen yet; the watch waits for one'
  const expected = new Map([
    [watch('--location', 'mars'), `${waiting}\n`],
    [watch('--where', 'room == "cellar"'), `${waiting}\n`],
    [watch('--member', `12D3KooW${'x'.repeat(44)}`), `${waiting}\n`],
    [
      watch('--where', 'system.memory.usage > 0.9 && room == "attic"'),
      `${waiting}: --where knows constants only, and no member states system.memory.usage\n`,
    ],
  ])
  for (const [each, text] of expected) await expect.poll(() => each.stderr).toBe(text)
  const right = [watch('--where', 'room == "attic" && location != ""'), watch('--member', node.id.slice(-8))]
  for (const each of right) {
    await expect.poll(() => each.lines.length).toBeGreaterThan(1)
    expect(each.stderr).toBe('')
  }
  for (const each of [...expected.keys(), ...right]) {
    each.child.kill('SIGINT')
    expect(await each.exited).toBe(0)
  }
  const wrong = watch('--member', 'zzzz')
  expect([await wrong.exited, wrong.stderr]).toEqual([1, 'jel: no member has an id that ends with "zzzz"\n'])
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
  await expect.poll(() => some.lines.length).toBe(1)
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
