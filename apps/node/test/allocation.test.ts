import { join } from 'node:path'
import { expect, it } from 'vitest'
import { joinAll, JelProcess, loopback } from './jel-process.ts'

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

it('jel lease leases what a member offers, jel leases lists it, and jel release gives it back', async () => {
  const [a, b] = (await joinAll('leased', 2, '--offer', 'cpus=4')) as [JelProcess, JelProcess]
  const end = b.id.slice(-8)
  const leased = await run(a, 'lease', 'leased', end, 'cpus=3', '--for', '60')
  expect(leased.lines).toEqual([expect.stringMatching(new RegExp(`^lease 1 of …?${end} \\(incarnation 1\\): cpus=3, for 1:00$`, 'u'))])
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
  expect((await run(a, 'lease', 'leased', end, 'cpus=1')).stderr).toContain('give its term')
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
