import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { joinAll, JelProcess } from './jel-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'jel-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function program(name: string, source: string): string {
  const file = join(folder, name)
  writeFileSync(file, source)
  return file
}

const talk = program(
  'talk.js',
  `export default async (group, input) => {
    console.log('rank ' + group.rank + ' of ' + group.size)
    await group.send((group.rank + 1) % group.size, new TextEncoder().encode('ring'), 3)
    const { from, bytes } = await group.receive({ tag: 3 })
    const sum = await group.allReduce(group.rank, (a, b) => a + b)
    return { from, text: new TextDecoder().decode(bytes), sum, input }
  }`,
)
const plain = program(
  'plain.js',
  `import { execFileSync } from 'node:child_process'
  console.error(execFileSync('echo', ['plain ' + process.env.JEL_RANK]).toString().trim())
  if (process.env.JEL_RANK === '1') process.exit(7)`,
)
const late = program('late.js', `setTimeout(() => { console.log('late ' + process.env.JEL_RANK); process.exitCode = 5 }, 500)`)
const talkative = program(
  'talkative.js',
  `export default () => { for (let at = 0; at < 5000; at++) console.log('  line ' + at); return 'done' }`,
)
const survive = program(
  'survive.js',
  `export default async (group) => {
    console.log('member ' + group.members[group.rank])
    if (group.rank === 0) await new Promise(() => setInterval(() => {}, 1000))
    try {
      await group.barrier()
      return 'no loss'
    } catch (error) {
      const begin = Date.now()
      const left = await group.shrink()
      return { code: error.code, size: left.size, epoch: left.epoch, sum: await left.allReduce(1, (a, b) => a + b) }
    }
  }`,
)

async function start(node: JelProcess, pool: string, ...args: string[]): Promise<JelProcess> {
  const asking = new JelProcess(['run', pool, '--node', node.id.slice(-8), ...args])
  await asking.exited
  return asking
}

it('jel run runs a program on members that let it, with its output by rank, and the status of the worst rank', async () => {
  const nodes = (await joinAll('ranks', 3, '--runs', 'members')) as [JelProcess, JelProcess, JelProcess]
  const talked = await start(nodes[0], 'ranks', talk, '--count', '3', '--input', '{"n":1}')
  expect([talked.stderr, await talked.exited]).toEqual(['', 0])
  expect(talked.lines.filter((line) => line.includes('returned'))).toEqual(
    [2, 0, 1].map((from, rank) => `[${rank}] returned {"from":${from},"text":"ring","sum":3,"input":{"n":1}}`),
  )
  expect(talked.lines.filter((line) => line.includes(' of 3')).sort()).toEqual([0, 1, 2].map((rank) => `[${rank}] rank ${rank} of 3`))
  const failed = await start(nodes[1], 'ranks', plain, '--count', '2')
  expect([await failed.exited, failed.lines.filter((line) => line.includes('plain')).sort()]).toEqual([7, ['[0] plain 0', '[1] plain 1']])
  const waited = await start(nodes[1], 'ranks', late, '--count', '1')
  expect([await waited.exited, waited.lines]).toEqual([5, ['[0] late 0', expect.stringMatching(/ended with status 5$/u)]])
  const wrote = await start(nodes[1], 'ranks', talkative, '--count', '1')
  expect([await wrote.exited, wrote.lines]).toEqual([
    0,
    [...Array.from({ length: 5000 }, (_, at) => `[0]   line ${at}`), '[0] returned "done"'],
  ])
  const many = await start(nodes[2], 'ranks', plain, '--count', '4')
  expect([await many.exited, many.stderr]).toEqual([1, expect.stringContaining('4 ranks wanted, the members can take 3')])
  // Nothing is held any more.
  const leases = new JelProcess(['leases', 'ranks', '--node', nodes[0].id.slice(-8), '--json'])
  await leases.exited
  const { members } = JSON.parse(leases.lines[0] as string) as { members: { leases: unknown[] }[] }
  expect(members.map((each) => each.leases)).toEqual([[], [], []])
})

it('jel run goes on without a member that is killed, and members that were not asked for it run nothing', async () => {
  const [a, b, c] = (await joinAll('survivors', 3, '--runs', 'members')) as [JelProcess, JelProcess, JelProcess]
  const [d] = (await joinAll('survivors', 1, '--bootstrap', a.address.replace(/\/p2p\/.*/u, ''))) as [JelProcess]
  await d.until(() => d.of('joined').length >= 3, 'all joined')
  const refused = await start(d, 'survivors', survive, '--count', '4')
  expect(refused.stderr).toContain(
    '4 ranks wanted, the members can take 3 (1: does not run programs of this member: jel join --runs lets it)',
  )
  const running = new JelProcess(['run', 'survivors', survive, '--count', '3', '--node', d.id.slice(-8)])
  await running.until(() => running.lines.filter((line) => line.includes('member ')).length === 3, 'three ranks')
  const [first = ''] = running.lines.flatMap((line) => (line.startsWith('[0] member ') ? [line.slice('[0] member '.length)] : []))
  const victim = [a, b, c].find(({ id }) => id === first) as JelProcess
  victim.child.kill('SIGKILL')
  expect(await running.exited).toBe(1)
  // The first rank that goes on ends the calls of the other, which may hear that before the loss.
  const returned = running.lines.filter((line) => line.includes('returned'))
  expect(returned.map((line) => line.replace('REVOKED', 'RANK_LOST'))).toEqual(
    [1, 2].map((rank) => `[${rank}] returned {"code":"RANK_LOST","size":2,"epoch":1,"sum":2}`),
  )
  expect(returned.some((line) => line.includes('RANK_LOST'))).toBe(true)
  expect(running.lines.at(-3)).toMatch(/^\[0\] at .* ended with status 1: RANK_LOST: it died$/u)
})

const growing = program(
  'growing.js',
  `export default async (group) => {
    let steps = 0
    console.log('begins with ' + group.size)
    for (let now = group; ; now = await now.regroup()) {
      // Newcomers get what the first rank has.
      steps = (await now.broadcast(steps)) + 1
      if (now.size === 4) return { epoch: group.epoch > 0, steps, sum: await now.allReduce(now.rank, (a, b) => a + b) }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }`,
)

it('jel run --grow starts with the members that are there, and grows when others join', async () => {
  const [a] = (await joinAll('growing', 1, '--runs', 'members', '--offer', 'ranks=2')) as [JelProcess]
  const running = new JelProcess(['run', 'growing', growing, '--count', '4', '--grow', '--node', a.id.slice(-8)])
  await running.until(() => running.lines.length >= 2, 'two ranks')
  await joinAll('growing', 2, '--runs', 'members', '--bootstrap', a.address.replace(/\/p2p\/.*/u, ''))
  expect([await running.exited, running.stderr, running.lines.filter((line) => line.includes('status'))]).toEqual([0, '', []])
  expect(running.lines.slice(0, 2).toSorted()).toEqual(['[0] begins with 2', '[1] begins with 2'])
  const returned = [0, 1, 2, 3].map((rank) => {
    const line = running.lines.find((each) => each.startsWith(`[${rank}] returned `)) ?? ''
    return JSON.parse(line.slice(line.indexOf('{'))) as { steps: number }
  })
  const steps = returned[0]?.steps
  expect(steps).toBeGreaterThan(5)
  expect(returned).toEqual([false, false, true, true].map((epoch) => ({ epoch, steps, sum: 6 })))
})

it('the programs of jel run end with the node that was asked', async () => {
  const [a, b] = (await joinAll('starterless', 2, '--runs', 'members')) as [JelProcess, JelProcess]
  const forever = program('forever.js', `console.log('pid ' + process.pid); setInterval(() => {}, 1000)`)
  const running = new JelProcess(['run', 'starterless', forever, '--count', '2', '--node', a.id.slice(-8)])
  await running.until(() => running.lines.filter((line) => line.includes('pid ')).length === 2, 'two ranks')
  const pids = running.lines.flatMap((line) => (/pid (\d+)/u.exec(line)?.[1] ? [Number(/pid (\d+)/u.exec(line)?.[1])] : []))
  a.child.kill('SIGKILL')
  expect(await running.exited).toBe(1)
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }
  await b.until(() => !pids.some(isAlive), 'both programs have ended')
})

it('jel groups lists the groups of all members, and says why one waits', async () => {
  const [a, b, c] = (await joinAll('listed', 3, '--runs', 'members')) as [JelProcess, JelProcess, JelProcess]
  const forever = program('forever.js', `console.log('runs'); setInterval(() => {}, 1000)`)
  const first = new JelProcess(['run', 'listed', forever, '--count', '2', '--node', a.id.slice(-8)])
  await first.until(() => first.lines.filter((line) => line.includes('runs')).length === 2, 'two ranks')
  const second = new JelProcess(['run', 'listed', forever, '--count', '2', '--within', '60', '--node', b.id.slice(-8)])
  const groups = async (...args: string[]): Promise<string[]> => {
    const asking = new JelProcess(['groups', 'listed', '--node', c.id.slice(-8), ...args])
    expect(await asking.exited).toBe(0)
    return asking.lines
  }
  await expect.poll(async () => (await groups()).join('\n')).toMatch(/holding: 1 of 2 held, 2 wait/u)
  const { groups: all } = JSON.parse((await groups('--json'))[0] as string) as {
    groups: { group: string; starter: string; state: string; members: { member: string; state: string; groups?: string[] }[] }[]
  }
  const [waiting, running] = all as [(typeof all)[number], (typeof all)[number]]
  expect([waiting, running]).toMatchObject([
    { state: 'holding', starter: b.id, program: 'forever.js', count: 2, held: 1, waits: 2, refused: 0 },
    { state: 'running', starter: a.id, program: 'forever.js', count: 2, held: 2, waits: 0 },
  ])
  expect(running.members.map(({ state }) => state)).toEqual(['running', 'running'])
  const runners = running.members.map(({ member }) => member).toSorted()
  const waits = waiting.members.filter(({ state }) => state === 'waits')
  expect(waits.map(({ member }) => member).toSorted()).toEqual(runners)
  expect(waits.map((each) => each.groups)).toEqual([[running.group], [running.group]])
  const text = await groups()
  expect(text[0]).toMatch(/^GROUP +PROGRAM +STARTER +MEMBER +STATE$/u)
  expect(text.filter((line) => line.endsWith(`waits for forever.js ${running.group.slice(0, 8)} (running)`))).toHaveLength(2)
  expect(text.filter((line) => /rank [01] of 2, running$/u.test(line))).toHaveLength(2)
  // The waiting group starts when the other one ends, and then says so.
  first.child.kill('SIGINT')
  await second.until(() => second.lines.filter((line) => line.includes('runs')).length === 2, 'its turn')
  expect(await groups()).toContainEqual(expect.stringMatching(/running: 2 ranks on 2 members$/u))
  second.child.kill('SIGINT')
  await expect.poll(async () => (await groups()).length).toBe(1)
})

it('jel run takes TypeScript, and refuses counts that cannot be', async () => {
  const [node] = (await joinAll('typed', 1, '--runs', 'members')) as [JelProcess]
  const typed = program('typed.ts', `export default (group: { readonly size: number }): number => group.size satisfies number`)
  const ran = await start(node, 'typed', typed)
  expect([ran.stderr, ran.lines]).toEqual(['', ['[0] returned 1']])
  const wrong = await start(node, 'typed', typed, '--count', '1', '--at-least', '2')
  expect([await wrong.exited, wrong.stderr]).toEqual([2, 'jel: --at-least 2 is more than --count 1\n'])
})
