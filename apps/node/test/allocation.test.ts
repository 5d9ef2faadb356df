import { join } from 'node:path'
import { expect, it } from 'vitest'
import { join1, joinAll, JelProcess, loopback, script } from './jel-process.ts'

const program = join(import.meta.dirname, 'fixtures/volunteered.ts')

async function run(node: JelProcess, command: string, pool: string, ...args: string[]) {
  const asking = new JelProcess([command, pool, '--node', node.id.slice(-8), ...args])
  const status = await asking.exited
  return { lines: asking.lines, stderr: asking.stderr, status }
}

it('jel select shows the members that meet a condition, and says how many meet each part of it', async () => {
  const nodes = (await joinAll('selected', 3)) as [JelProcess, JelProcess, JelProcess]
  const all = await run(
    nodes[0],
    'select',
    'selected',
    '--where',
    'system.memory.limit > 1e6',
    '--rank=-system.cpu.load_average.1m',
    '--json',
  )
  const { nodes: found, considered } = JSON.parse(all.lines[0] as string) as { nodes: { id: string; rank: number }[]; considered: number }
  expect([found.map(({ id }) => id).sort(), considered]).toEqual([nodes.map(({ id }) => id).sort(), 3])
  const few = await run(nodes[0], 'select', 'selected', '--count', '4', '--where', 'system.memory.limit > 1e6 && gpu')
  expect([few.status, few.stderr]).toEqual([
    1,
    expect.stringContaining('4 wanted, 0 match (system.memory.limit > 1e6: 3 of 3; gpu: 0 of 3, unknown of 3)'),
  ])
})

it('jel select --pattern puts members in an order, and shows the slowest edge', async () => {
  const nodes = (await joinAll('placed', 3)) as [JelProcess, JelProcess, JelProcess]
  const shown = await run(nodes[0], 'select', 'placed', '--count', '3', '--pattern', 'ring')
  expect([shown.stderr, shown.status]).toEqual(['', 0])
  expect(shown.lines.at(-1)).toMatch(/^slowest edge: \S+ and \S+, [\d.e+]+ MB\/s, [\d.e+-]+ ms$/u)
  expect(nodes.every(({ id }) => shown.lines.some((line) => line.startsWith(id)))).toBe(true)
  const json = await run(nodes[0], 'select', 'placed', '--count', '2', '--pattern', 'star', '--json')
  expect(JSON.parse(json.lines[0] as string)).toMatchObject({
    nodes: [{}, {}],
    placed: { slowest: { nodes: [expect.any(String), expect.any(String)], bandwidth: expect.any(Number) }, isBest: true, unknown: [] },
  })
  const without = await run(nodes[0], 'select', 'placed', '--pattern', 'ring')
  expect([without.status, without.stderr]).toEqual([1, expect.stringContaining('with a count')])
})

it('jel lease leases what a member offers, jel leases lists it, and jel release gives it back', async () => {
  const [a, b] = (await joinAll('leased', 2, '--offer', 'cpus=4')) as [JelProcess, JelProcess]
  const end = b.id.slice(-8)
  const leased = await run(a, 'lease', 'leased', end, 'cpus=3', '--for', '60')
  expect(leased.lines).toEqual([expect.stringMatching(new RegExp(`^lease 1 of …?${end} \\(incarnation 1\\): cpus=3, for 1 min$`, 'u'))])
  const refused = await run(b, 'lease', 'leased', end, 'cpus=2', '--for', '60')
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/cpus: 1 missing; it would fit in/u)])
  const listed = await run(b, 'leases', 'leased', '--json')
  const { members } = JSON.parse(listed.lines[0] as string) as {
    members: { member: string; totals: object; leases: { holder: string }[] }[]
  }
  expect(members.find(({ member }) => member === b.id)).toMatchObject({
    totals: { cpus: 4 },
    leases: [{ number: 1, holder: a.id, amounts: { cpus: 3 } }],
  })
  expect((await run(a, 'release', 'leased', end, '1')).status).toBe(0)
  expect((await run(b, 'leases', 'leased')).lines).toHaveLength(3)
  expect((await run(a, 'lease', 'leased', end, 'cpus', '--for', '60')).stderr).toContain('a capacity is NAME=AMOUNT')
  expect(await run(a, 'release', 'leased', end, 'x')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('a whole number above 0'),
  })
  expect((await run(a, 'lease', 'leased', end, 'cpus=1')).stderr).toContain('give its term')
})

it.each<[string, readonly string[], string]>([
  ['lease', ['cpus=1', '--for', '60'], 'NO_CAPACITY'],
  ['release', ['7'], 'INVALID_COMMAND'],
  ['select', ['--count', '9'], 'NEVER'],
  ['run', [script, '--count', '9'], 'NEVER'],
  ['watch', ['x', '--when', 'y > 1'], 'INVALID_WATCH'],
  ['leases', ['--member', 'ZZZZZZZZ'], 'INVALID_COMMAND'],
  ['call', ['nothing', '1'], 'NO_SERVER'],
  ['groups', [], 'NO_NODE'],
])('jel %s --json says with an event why it failed', async (command, args, code) => {
  const node = await join1('failing')
  const operands = command === 'lease' || command === 'release' ? [node.id.slice(-8), ...args] : args
  const pool = code === 'NO_NODE' ? 'nobody' : 'failing'
  const { status, lines, stderr } = await run(node, command, pool, ...operands, '--json')
  expect([status, lines.length]).toEqual([1, 1])
  expect(JSON.parse(lines[0] as string)).toEqual({
    event: 'error',
    time: expect.any(Number),
    pool,
    code,
    message: expect.stringMatching(/\S/u),
  })
  expect(stderr).toMatch(/^jel: \S.*\n$/u)
  // Wrong usage is for people alone.
  const wrong = await run(node, command, pool, '--wrong', '--json')
  expect([wrong.status, wrong.lines]).toEqual([2, []])
})

it('jel submit --requirements gives a job to members that meet a condition, and says how many meet each part', async () => {
  const worker = new JelProcess(['work', 'required', '--json', '--accept', 'members', '--workers', '1', ...loopback])
  await worker.until(() => worker.of('started').length > 0, 'started')
  const submit = async (...args: string[]): Promise<JelProcess> => {
    const asking = new JelProcess(['submit', 'required', program, 'sum', '5', '--bootstrap', worker.address, ...args, ...loopback])
    await asking.exited
    return asking
  }
  expect((await submit('--requirements', 'system.memory.limit > 1e6 && system.cpu.logical.count >= 1')).lines).toEqual(['30'])
  const waiting = await submit('--requirements', 'system.memory.limit > 1e6 && host.arch == "none"', '--timeout', '9')
  expect(waiting.stderr).toContain('meets its requirements (system.memory.limit > 1e6: 1 of 1; host.arch == "none": 0 of 1)')
  expect((await submit('--requirements', 'cpus >')).stderr).toContain('requirements: column 7')
})

it('jel work --offer cpus gives a lease its workers, and jobs go on when it ends', async () => {
  const worker = new JelProcess(['work', 'lent', '--json', '--workers', '2', '--accept', 'members', '--offer', 'cpus=2', ...loopback])
  await worker.until(() => worker.of('started').length > 0, 'started')
  const holder = new JelProcess(['join', 'lent', '--json', '--bootstrap', worker.address, ...loopback])
  await holder.until(() => holder.of('joined').length > 1, 'both are there')
  const end = worker.id.slice(-8)
  expect((await run(holder, 'lease', 'lent', end, 'cpus=2', '--for', '600')).status).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const job = new JelProcess(['submit', 'lent', program, 'sum', '5', '--bootstrap', worker.address, ...loopback])
  await job.until(() => job.stderr.includes('the job waits'), 'it waits')
  expect(job.lines).toEqual([])
  expect((await run(holder, 'release', 'lent', end, '1')).status).toBe(0)
  expect([await job.exited, job.lines]).toEqual([0, ['30']])
})

it('jel submit --after begins a job once another has its result, and --max-time ends one that runs for longer', async () => {
  const worker = new JelProcess(['work', 'ordered', '--json', '--accept', 'members', '--workers', '2', ...loopback])
  await worker.until(() => worker.of('started').length > 0, 'started')
  const submit = async (...args: string[]): Promise<JelProcess> => {
    const asking = new JelProcess(['submit', 'ordered', program, ...args, '--bootstrap', worker.address, ...loopback])
    await asking.exited
    return asking
  }
  expect(await (await submit('sum', '200', '--name', 'first', '--detach')).exited).toBe(0)
  const [second, third] = await Promise.all([
    submit('forever', '--name', 'second', '--after', 'first', '--max-time', '2 s'),
    submit('sum', '5', '--after', 'first', '--timeout', '20'),
  ])
  expect(third.lines).toEqual(['30'])
  expect([await second.exited, second.stderr]).toEqual([1, expect.stringContaining('it ran for 2 s, and its owner allows no more')])
  expect((await submit('sum', '5', '--after', 'second')).stderr).toContain('which failed')
  expect((await submit('sum', '5', '--after', 'none')).stderr).toContain('nobody in the pool has published a job "none"')
  expect((await submit('sum', '5', '--max-time', '2')).stderr).toContain('It must be a time as in 90 s, 30 min or 2 h')
})
