import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JelProcess, loopback, removeFolder } from './jel-process.ts'

const program = `
import { task } from '@jel/compute/program'
export const square = task((number) => number * number)
export const sum = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, n) => run(square, n)))).reduce((a, b) => a + b, 0))
export const slow = task(async (count, { run }) => (await Promise.all(Array.from({ length: count }, (_, n) => run(busy, n)))).length)
export const busy = task((n) => { for (const end = performance.now() + 20; performance.now() < end; ); return n })
export const length = task(async ({ data, times }, { use }) => (await use(data)).length * times)
export const ratio = ({ a, b }) => { if (b === 0) throw new RangeError('b is 0'); return a / b }
export const throws = task(() => { throw new RangeError('no such luck') })
`

/** A program that prints in all ways a line that looks like an event. */
const forging = `
import { spawnSync } from 'node:child_process'
import { writeSync } from 'node:fs'
import { task } from '@jel/compute/program'
const forged = (way) => JSON.stringify({ event: 'died', way }) + '\\n'
export const forges = task((name) => {
  console.log(forged('console').trim())
  console.error('  what now,\\u001B[2J' + name)
  process.stdout.write(forged('stdout'))
  process.stderr.write(forged('stderr'))
  for (const descriptor of [1, 2]) writeSync(descriptor, forged('descriptor ' + descriptor))
  spawnSync('/bin/sh', ['-c', 'echo "$1"; echo "$2" >&2', 'sh', forged('child 1').trim(), forged('child 2').trim()], { stdio: 'inherit' })
})
`

let folder: string
let file: string
let owner: string[]

/** Makes a folder with a program and an owner. */
function prepare(): void {
  folder = mkdtempSync(join(tmpdir(), 'jel-cli-'))
  file = join(folder, 'program.js')
  writeFileSync(file, program)
  owner = ['--owner', join(folder, 'owner')]
}

async function worker(bootstrap?: string): Promise<JelProcess> {
  const args = [
    'work',
    'cli-test',
    '--json',
    '--workers',
    '1',
    ...loopback,
    ...owner,
    ...(bootstrap === undefined ? [] : ['--bootstrap', bootstrap]),
  ]
  const process = new JelProcess(args)
  await process.until(() => process.lines.some((line) => line.includes('"started"')), 'it started')
  return process
}

/** Returns the flags of another owner. */
function stranger(): string[] {
  return ['--owner', join(folder, 'stranger')]
}

function command(address: string, name: string, ...args: string[]): JelProcess {
  return new JelProcess([name, 'cli-test', ...args, ...loopback, ...owner, '--bootstrap', address], 'ignore')
}

/** Asks the node that runs here, and enters no pool. */
function here(name: string, ...args: string[]): JelProcess {
  return new JelProcess([name, 'cli-test', ...args], 'ignore')
}

describe('jel submit, map, jobs and job, at a worker that all these tests share', () => {
  let first: JelProcess

  beforeAll(async () => {
    prepare()
    first = (await worker()).keep()
  })

  afterAll(async () => {
    first.child.kill('SIGKILL')
    await first.exited
    await removeFolder(folder)
  })

  it('compute a job, and print its result as JSON', async () => {
    const submit = command(first.address, 'submit', file, 'sum', '20', '--json', '--name', 'squares')
    expect({ status: await submit.exited, stderr: submit.stderr }).toEqual({ status: 0, stderr: '' })
    const events = submit.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events[0]).toMatchObject({ event: 'submitted', pool: 'cli-test', name: 'squares', job: expect.stringMatching(/^[\da-f]{20}$/u) })
    expect(
      events.slice(1, -1).every(({ event, covered, members }) => event === 'progress' && Number(covered) <= 1 && Number(members) <= 2),
    ).toBe(true)
    expect(events.at(-1)).toMatchObject({ event: 'done', job: events[0]?.['job'], result: 2470 })

    const list = command(first.address, 'jobs', '--json')
    expect(await list.exited).toBe(0)
    const jobs = list.lines.map((line) => JSON.parse(line) as { name?: string })
    expect(jobs.filter(({ name }) => name === 'squares')).toMatchObject([{ event: 'job', state: 'done', covered: 1 }])

    const result = command(first.address, 'job', 'squares', '--result')
    expect(await result.exited).toBe(0)
    expect(result.lines).toEqual(['2470'])

    const words = here('job', 'squares')
    expect(await words.exited).toBe(0)
    expect(words.lines).toEqual(
      expect.arrayContaining(['state      done', expect.stringMatching(/^submitted  \d+ s ago$/u), 'done       100 %']),
    )

    const why = here('job', 'squares', '--why')
    expect(await why.exited).toBe(0)
    expect(why.lines.join(' ')).toMatch(
      /^done: 100 % is done; \d members? ha(s|ve) begun \d+ tasks? and finished \d+, as this member heard$/u,
    )
  })

  it('call a function for each row of a table, keep going after a failure, and continue under a name', async () => {
    const inputs = join(folder, 'table.csv')
    const output = join(folder, 'out.csv')
    writeFileSync(inputs, 'a,b\n1,2\n3,0\n6,3\n')
    const flags = ['--inputs', inputs, '--name', 'ratios', '--keep-going']
    const table = command(first.address, 'map', file, 'ratio', ...flags, '--csv', '--output', output)
    expect({ status: await table.exited, lines: table.lines }).toEqual({ status: 1, lines: [] })
    expect(table.stderr).toContain('jel: 1 of 3 inputs failed\n')
    expect(readFileSync(output, 'utf8')).toBe('a,b,value,error\n1,2,0.5,\n3,0,,TASK_THREW: b is 0\n6,3,2,\n')
    const again = here('map', file, 'ratio', ...flags)
    expect(await again.exited).toBe(1)
    expect(again.lines).toEqual([
      '{"input":{"a":1,"b":2},"value":0.5}',
      '{"input":{"a":3,"b":0},"error":"TASK_THREW: b is 0"}',
      '{"input":{"a":6,"b":3},"value":2}',
    ])
    const atNode = ['map', 'cli-test', file, 'ratio', '--inputs', inputs, '--keep-going', '--csv', '--node', first.id]
    const byNode = new JelProcess(atNode, 'ignore')
    expect(await byNode.exited).toBe(1)
    expect(byNode.lines).toEqual(['a,b,value,error', '1,2,0.5,', '3,0,,TASK_THREW: b is 0', '6,3,2,'])
    const many = join(folder, 'many.json')
    writeFileSync(many, JSON.stringify(Array.from({ length: 150_000 }, (_, n) => n + 0.5)))
    const large = new JelProcess(atNode.with(atNode.indexOf(inputs), many), 'ignore')
    expect(await large.exited).toBe(2)
    expect(large.stderr).toContain('inputs: a sweep has at most 65536')
    writeFileSync(many, JSON.stringify(Array.from({ length: 400 }, (_, n) => ({ a: n, b: 2, pad: 'x'.repeat(5000) }))))
    const padded = new JelProcess(atNode.with(atNode.indexOf(inputs), many), 'ignore')
    expect(await padded.exited).toBe(0)
    expect(padded.lines.length).toBe(401)
    expect(padded.lines[400]).toMatch(/^399,2,x+,199\.5$/u)
    const stops = here('map', file, 'ratio', '--inputs', inputs)
    expect(await stops.exited).toBe(1)
    expect(stops.stderr).toMatch(/^jel: TASK_THREW: b is 0 .*\n {4}in ratio\(\{ a: 3, b: 0 \}\)$/mu)
  })

  it.runIf(process.platform === 'linux')('run a command for each line, with its files', async () => {
    const script = join(folder, 'eval.sh')
    writeFileSync(script, '#!/bin/sh\necho "{\\"twice\\": $((2 * $1))}"\n', { mode: 0o755 })
    const inputs = join(folder, 'lines.jsonl')
    writeFileSync(inputs, '1\n2\n')
    const map = command(first.address, 'map', '--command', './eval.sh {}', '--files', script, '--inputs', inputs, '--csv')
    expect(await map.exited).toBe(0)
    expect(map.lines).toEqual(['input,twice', '1,2', '2,4'])
  })

  it.runIf(process.platform === 'linux')('write the files that a command makes to a folder for each input', async () => {
    const inputs = join(folder, 'rows.jsonl')
    writeFileSync(inputs, '7\n8\n')
    const flags = ['--inputs', inputs, '--collect', 'out/*.csv', '--collect-to', join(folder, 'made')]
    const map = here('map', '--command', 'mkdir out; echo {} > out/a.csv; echo > b; echo {}', ...flags, '--csv')
    expect(await map.exited).toBe(0)
    expect(map.lines).toEqual(['input,value', '7,7', '8,8'])
    expect(map.stderr).toContain(`2 files in ${join(folder, 'made')}`)
    expect(readdirSync(join(folder, 'made'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      '1',
      '1/out',
      '1/out/a.csv',
      '2',
      '2/out',
      '2/out/a.csv',
    ])
    expect(readFileSync(join(folder, 'made/2/out/a.csv'), 'utf8')).toBe('8\n')
    const wrong = here('map', '--command', 'true', '--inputs', inputs, '--collect-to', 'x')
    expect(await wrong.exited).toBe(2)
    const odd = here('map', '--command', 'true', '--inputs', inputs, '--collect', '*', '--name', '../x')
    expect(await odd.exited).toBe(2)
  })

  it('hand a file over with a job', async () => {
    const data = join(folder, 'data.bin')
    writeFileSync(data, new Uint8Array(1_500_000))
    const submit = command(first.address, 'submit', file, 'length', '{"times":2}', '--blob', `data=${data}`)
    expect({ status: await submit.exited, lines: submit.lines }).toEqual({ status: 0, lines: ['3000000'] })
  })

  it('leave a job to others, follow it by its name, wait a limited time for it, and cancel it', async () => {
    const submit = command(first.address, 'submit', file, 'slow', '100', '--detach', '--name', 'slow')
    expect({ status: await submit.exited, lines: submit.lines }).toEqual({ status: 0, lines: [] })
    const follow = command(first.address, 'job', 'slow', '--follow', '--json')
    expect(await follow.exited).toBe(0)
    expect(JSON.parse(follow.lines.at(-1) as string)).toMatchObject({ event: 'done', result: 100 })

    const long = here('submit', file, 'slow', '50000', '--detach', '--name', 'long')
    expect(await long.exited).toBe(0)
    // The one enters the pool, and the other asks a node here.
    for (const late of [
      command(first.address, 'job', 'long', '--result', '--timeout', '3'),
      here('job', 'long', '--follow', '--timeout', '1'),
    ]) {
      expect(await late.exited).toBe(1)
      expect(late.stderr).toMatch(/^jel: not done within [13] s$/mu)
    }
    const cancel = command(first.address, 'job', 'long', '--cancel')
    expect(await cancel.exited).toBe(0)
    const after = here('job', 'long', '--result')
    expect({ status: await after.exited, stderr: after.stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cancelled by its owner'),
    })
  })

  it('leave the result of a job that is cancelled late, and forget it on demand', async () => {
    const job = async (...args: string[]): Promise<{ status: unknown; lines: string[]; stderr: string }> => {
      const process = command(first.address, 'job', 'late', ...args)
      return { status: await process.exited, lines: process.lines, stderr: process.stderr }
    }
    expect(await here('submit', file, 'sum', '20', '--name', 'late').exited).toBe(0)
    expect(await job('--cancel', '--json')).toMatchObject({
      status: 0,
      lines: [expect.stringMatching(/"event":"job".*"state":"done"/u)],
      stderr: expect.stringContaining('it is done, and its result stays'),
    })
    expect(await job('--result')).toMatchObject({ status: 0, lines: ['2470'] })
    expect(await job('--forget', '--result')).toMatchObject({ status: 2 })
    const forgotten = await job('--forget', '--json')
    expect(JSON.parse(forgotten.lines[0] as string)).toMatchObject({ event: 'forgotten', job: expect.stringMatching(/^[\da-f]{20}$/u) })
    expect(await job('--result')).toMatchObject({ status: 1, stderr: expect.stringContaining('nobody in the pool has published') })
  })

  it('report an error of a program, with its stack', async () => {
    const submit = command(first.address, 'submit', file, 'throws', '--json')
    expect(await submit.exited).toBe(1)
    expect(JSON.parse(submit.lines.at(-1) as string)).toMatchObject({
      event: 'failed',
      code: 'TASK_THREW',
      message: 'no such luck',
      stack: expect.stringMatching(/^RangeError: no such luck\n    at program\.js:\d+:42$/u),
      task: '',
      fn: 'throws',
      input: 'undefined',
    })
  })

  it('say that no member knows a job', async () => {
    const process = command(first.address, 'job', 'nobody')
    expect({ status: await process.exited, stderr: process.stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nobody in the pool has published'),
    })
  })
})

describe('jel work, submit, jobs and job', () => {
  beforeEach(prepare)
  afterEach(async () => await removeFolder(folder))

  it('compute the job of a stranger in a sandbox, and name a program that no sandbox takes', async () => {
    const first = await worker()
    const args = ['submit', 'cli-test', file, 'sum', '20', '--json', '--bootstrap', first.address, ...loopback, ...stranger()]
    const submit = new JelProcess([...args, '--name', 'squares'], 'ignore')
    expect({ status: await submit.exited, stderr: submit.stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(submit.lines.at(-1) as string)).toMatchObject({ event: 'done', result: 2470 })

    const result = command(first.address, 'job', 'squares', '--result')
    expect({ status: await result.exited, lines: result.lines }).toEqual({ status: 0, lines: ['2470'] })
    expect(result.stderr).toMatch(/^jel: this job belongs to another owner, \w+: no job of that name of yours is known\n$/u)

    writeFileSync(file, `${program}\nexport const id = task(() => process.pid)`)
    const needing = new JelProcess([...args.slice(0, 3), 'id', '0', '--detach', ...args.slice(5)], 'ignore')
    expect(await needing.exited).toBe(0)
    expect(needing.stderr).toMatch(/^jel: the program uses process, which no sandbox has\. Only members that accept \w+ run the program/u)
  })

  it('ask any of several nodes here, and go through it for another owner', async () => {
    const first = await worker()
    await worker(first.address)
    const submit = async (name: string, ...args: string[]): Promise<string> => {
      const process = new JelProcess(['submit', 'cli-test', file, 'sum', '5', '--name', name, ...args], 'ignore')
      expect({ status: await process.exited, lines: process.lines }).toEqual({ status: 0, lines: ['30'] })
      const job = new JelProcess(['job', 'cli-test', name, '--json'], 'ignore')
      expect(await job.exited).toBe(0)
      return (JSON.parse(job.lines[0] as string) as { owner: string }).owner
    }
    const own = await submit('own')
    expect(await submit('other', ...stranger())).not.toBe(own)
  })

  it('lose no job whose submitter is killed as soon as it was submitted', async () => {
    const first = await worker()
    await worker(first.address)
    const names = ['one', 'two', 'three']
    const submits = names.map((name) => command(first.address, 'submit', file, 'sum', '20', '--detach', '--json', '--name', name))
    await Promise.all(
      submits.map(async (submit) => {
        await submit.until(() => submit.lines.length > 0, 'it is submitted')
        submit.child.kill('SIGKILL')
        await submit.exited
      }),
    )
    expect(submits.map(({ lines }) => (JSON.parse(lines[0] as string) as { event: string }).event)).toEqual(names.map(() => 'submitted'))
    for (const name of names) {
      const result = command(first.address, 'job', name, '--result')
      expect({ status: await result.exited, lines: result.lines, stderr: result.stderr }).toEqual({
        status: 0,
        lines: ['2470'],
        stderr: '',
      })
    }
  })

  it('report the job of a worker to a person, and nothing new to a program', async () => {
    const first = await worker()
    const args = ['work', 'cli-test', '--workers', '1', ...loopback, ...owner, '--bootstrap', first.address]
    const second = new JelProcess(args)
    await second.until(() => second.lines.some((line) => line.includes(' joined ')), 'it is in')
    const submit = command(first.address, 'submit', file, 'slow', '100', '--name', 'slow')
    expect(await submit.exited).toBe(0)
    await second.until(() => second.lines.some((line) => / ran here /u.test(line)), 'its work is over')
    expect(second.lines.filter((line) => /job|record/u.test(line))).toEqual([
      expect.stringMatching(/ works for job slow of …\w{8}$/u),
      expect.stringMatching(/ job slow of …\w{8} is done; \d+ tasks? ran here in \d+ s$/u),
    ])
    const known = new Set(['started', 'joined', 'left', 'updated', 'health', 'record', 'error'])
    expect(first.events.filter(({ event }) => !known.has(event))).toEqual([])
    expect(first.of('record').some(({ name }) => name === 'jel.compute/job/slow')).toBe(true)
  })

  it('write what tasks print only where somebody asks for it, with its source, and as nothing else', async () => {
    const first = await worker()
    const args = ['work', 'cli-test', '--json', '--workers', '1', '--show-output', ...loopback, ...owner, '--bootstrap', first.address]
    const second = new JelProcess(args)
    await second.until(() => second.told('joined').length === 2, 'it is in')
    writeFileSync(file, forging)
    // With two votes the task runs at both workers. Only the second one shows output.
    const submit = command(first.address, 'submit', file, 'forges', '"x"', '--name', 'forges', '--votes', '2', '--json')
    expect(await submit.exited).toBe(0)
    const ways = ['console', 'stdout', 'stderr', 'descriptor 1', 'descriptor 2', 'child 1', 'child 2']
    const printed = ['  what now,x', ...ways.map((way) => JSON.stringify({ event: 'died', way }))].toSorted()
    const textOf = (node: JelProcess, by: JelProcess): string[] =>
      node
        .of('output')
        .filter(({ member }) => member === by.id)
        .flatMap(({ text }) => text.replaceAll('\u001B[2J', '').trimEnd().split('\n'))
        .toSorted()
    await expect.poll(() => textOf(second, second)).toEqual(printed)
    const logs = command(first.address, 'job', 'forges', '--logs', '--follow')
    expect(await logs.exited).toBe(0)
    // Nobody knows which task wrote to a descriptor.
    const source = /^…\w{8}( forges)?( !)? \| /u
    expect(logs.lines.map((line) => line.replace(source, '')).toSorted()).toEqual([...printed, ...printed].toSorted())
    expect(logs.lines.every((line) => source.test(line))).toBe(true)
    const json = command(first.address, 'job', 'forges', '--logs', '--json')
    expect(await json.exited).toBe(0)
    for (const node of [first, second]) expect(textOf(json, node)).toEqual(printed)
    const text = `${JSON.stringify({ event: 'died', way: 'console' })}\n`
    const ofTask = { event: 'output', fn: 'forges', task: '', stream: 'stdout', text: expect.stringContaining(text) }
    expect(json.events).toContainEqual(expect.objectContaining(ofTask))
    expect(first.of('output')).toEqual([])
    for (const process of [first, second, submit, json]) expect(process.told('died')).toEqual([])
  })

  it.runIf(process.platform === 'linux')('write each outcome to a file, and the file outlives an interrupt', async () => {
    const first = await worker()
    await worker(first.address)
    const [inputs, output] = [join(folder, 'times.json'), join(folder, 'each.jsonl')]
    writeFileSync(inputs, '[0, 1000]')
    writeFileSync(output, 'of before\n')
    const map = command(first.address, 'map', '--command', 'sleep {}; echo NaN', '--inputs', inputs, '--each', '--output', output)
    await expect.poll(() => readFileSync(output, 'utf8'), { timeout: 30_000 }).toBe('{"index":0,"input":0,"value":"NaN"}\n')
    map.child.kill('SIGINT')
    await map.exited
    expect(map.lines).toEqual([])
    expect(readFileSync(output, 'utf8')).toMatch(/^\{"index":0.*\}\n$/u)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('leave the pool on %s, and the job to others', async (signal) => {
    const first = await worker()
    const submit = command(first.address, 'submit', file, 'slow', '50000', '--json')
    await submit.until(() => submit.lines.some((line) => line.includes('"progress"')), 'progress')
    submit.child.kill(signal)
    expect({ status: await submit.exited, stderr: submit.stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^jel: the job goes on without this command: jel job cli-test [\da-f]{20} --follow, --result or --cancel\n$/u,
      ),
    })
    expect(submit.lines.map((line) => (JSON.parse(line) as { event: string }).event)).not.toContain('failed')
    await first.until(() => first.of('left').length > 0 || first.of('died').length > 0, 'its end')
    expect([first.of('left').length, first.of('died')]).toEqual([1, []])
  })

  it.each([
    [['submit', 'pool', 'nowhere.js', 'f'], 2, `there is no program nowhere.js (${resolve('nowhere.js')})`],
    [['submit', 'pool', '/nowhere.js', 'f'], 2, 'there is no program /nowhere.js\n'],
    [['submit', 'pool', import.meta.filename, 'f', '{'], 2, 'INPUT must be JSON'],
    [['submit', 'pool', import.meta.filename, 'f', '--keep', 'ever'], 2, 'as in 30 min'],
    [['submit', 'pool', import.meta.filename, 'f', '--blob', 'nowhere.bin'], 2, 'NAME=FILE'],
    [
      ['submit', 'pool', import.meta.filename, 'f', '--blob', 'data=nowhere.bin'],
      2,
      `there is no file nowhere.bin (${resolve('nowhere.bin')})`,
    ],
    [['submit', 'pool', import.meta.filename, 'f', '3', '--blob', 'data=nowhere.bin'], 2, 'INPUT must be an object'],
    [['work', 'pool', '--workers', 'many'], 2, 'whole number'],
    [['demo', 'compost'], 2, 'jel demo compute'],
    [['map', 'pool', '--inputs', '-'], 2, 'give a file and a function of it, or --command'],
    [['map', 'pool', 'a.js', 'f', '--command', 'true'], 2, '--command: it takes the place'],
    [['map', 'pool', '--command', 'true'], 2, '--inputs names the file'],
    [
      ['map', 'pool', '--command', 'true', '--inputs', join(import.meta.dirname, '../package.json'), '--output', 'nowhere/x'],
      2,
      '--output: ENOENT',
    ],
    [
      ['map', 'pool', '--command', 'true', '--inputs', join(import.meta.dirname, '../package.json'), '--output', '/'],
      2,
      '--output: "/" is no file',
    ],
  ])('refuse %j', async (args, status, message) => {
    const process = new JelProcess(args, 'ignore')
    expect({ status: await process.exited, stderr: process.stderr }).toEqual({ status, stderr: expect.stringContaining(message) })
  })

  it('say on standard error why a job waits, and end in time', async () => {
    const first = await worker()
    const trusting = ['work', 'cli-test', '--json', '--workers', '1', '--accept', 'own', ...loopback, ...stranger()]
    const accepting = new JelProcess([...trusting, '--bootstrap', first.address])
    await accepting.until(() => accepting.told('joined').length === 2, 'it is in')
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    const submit = command(accepting.address, 'submit', file, 'sum', '10', '--json', '--timeout', '12')
    expect(await submit.exited).toBe(1)
    expect(submit.stderr).toMatch(/^jel: the job waits: no member accepts programs of 12D3\w+; members with workers: 1$/mu)
    expect(submit.stderr).toMatch(/^jel: not done within 12 s: no member accepts programs of 12D3\w+; members with workers: 1$/mu)
  })

  it('fail where the given address leads to no member, and list no jobs without an address', async () => {
    // Nobody listens there: port 1 requires a privilege.
    const astray = ['--bootstrap', '/ip4/127.0.0.1/tcp/1']
    const client = (...args: string[]): JelProcess => new JelProcess([...args, ...loopback, ...owner], 'ignore')
    const clients = [
      client('jobs', 'cli-test', ...astray),
      client('job', 'cli-test', 'squares', ...astray),
      client('jobs', 'cli-test', '--json'),
    ]
    const ends = clients.map(async (each) => ({ status: await each.exited, lines: each.lines, stderr: each.stderr }))
    const unreached = expect.stringMatching(/^jel: nobody else of the pool cli-test was found \(.*127\.0\.0\.1\/tcp\/1\b.*\)\n$/u) as string
    expect(await Promise.all(ends)).toEqual([
      { status: 1, lines: [], stderr: unreached },
      { status: 1, lines: [], stderr: unreached },
      { status: 0, lines: [], stderr: expect.stringMatching(/^jel: nobody else of the pool cli-test was found; on loopback/u) },
    ])
  })
})

describe('jel demo compute', () => {
  it('ends a worker, the member with the root and the submitter, and reads the right result', async () => {
    const demo = new JelProcess(['demo', 'compute', '--json'], 'ignore')
    expect({ status: await demo.exited, stderr: demo.stderr }).toEqual({ status: 0, stderr: '' })
    const events = demo.lines.map((line) => JSON.parse(line) as { event: string; text?: string; totalMs?: number })
    expect(events.filter(({ text }) => text?.includes('SIGKILL') === true)).toHaveLength(3)
    expect(events.at(-1)).toMatchObject({ event: 'summary', totalMs: expect.toSatisfy((total: number) => total < 60_000) })
  })
})
