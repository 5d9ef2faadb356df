import { writeFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { JobCommands, program } from './job-commands.ts'
import { JelProcess, loopback, removeFolder } from './jel-process.ts'

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

let cli: JobCommands

describe('jel work, submit, jobs and job', () => {
  beforeEach(() => {
    cli = new JobCommands('cli-work')
  })
  afterEach(async () => await removeFolder(cli.folder))

  it('compute the job of a stranger in a sandbox, and name a program that no sandbox takes', async () => {
    const first = await cli.worker()
    const args = ['submit', 'cli-work', cli.file, 'sum', '20', '--json', '--bootstrap', first.address, ...loopback, ...cli.stranger]
    const submit = new JelProcess([...args, '--name', 'squares'], 'ignore')
    expect({ status: await submit.exited, stderr: submit.stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(submit.lines.at(-1) as string)).toMatchObject({ event: 'done', result: 2470 })

    const result = cli.command(first.address, 'job', 'squares', '--result')
    expect({ status: await result.exited, lines: result.lines }).toEqual({ status: 0, lines: ['2470'] })
    expect(result.stderr).toMatch(/^jel: this job belongs to another owner, \w+: no job of that name of yours is known\n$/u)

    writeFileSync(cli.file, `${program}\nexport const id = task(() => process.pid)`)
    const needing = new JelProcess([...args.slice(0, 3), 'id', '0', '--detach', ...args.slice(5)], 'ignore')
    expect(await needing.exited).toBe(0)
    expect(needing.stderr).toMatch(/^jel: the program uses process, which no sandbox has\. Only members that accept \w+ run the program/u)
  })

  it('ask any of several nodes here, and go through it for another owner', async () => {
    const first = await cli.worker()
    await cli.worker(first.address)
    const submit = async (name: string, ...args: string[]): Promise<string> => {
      const process = new JelProcess(['submit', 'cli-work', cli.file, 'sum', '5', '--name', name, ...args], 'ignore')
      expect({ status: await process.exited, lines: process.lines }).toEqual({ status: 0, lines: ['30'] })
      const job = new JelProcess(['job', 'cli-work', name, '--json'], 'ignore')
      expect(await job.exited).toBe(0)
      return (JSON.parse(job.lines[0] as string) as { owner: string }).owner
    }
    const own = await submit('own')
    expect(await submit('other', ...cli.stranger)).not.toBe(own)
  })

  it('lose no job whose submitter is killed as soon as it was submitted', async () => {
    const first = await cli.worker()
    await cli.worker(first.address)
    const names = ['one', 'two', 'three']
    const submits = names.map((name) => cli.command(first.address, 'submit', cli.file, 'sum', '20', '--detach', '--json', '--name', name))
    await Promise.all(
      submits.map(async (submit) => {
        await submit.until(() => submit.lines.length > 0, 'it is submitted')
        submit.child.kill('SIGKILL')
        await submit.exited
      }),
    )
    expect(submits.map(({ lines }) => (JSON.parse(lines[0] as string) as { event: string }).event)).toEqual(names.map(() => 'submitted'))
    for (const name of names) {
      const result = cli.command(first.address, 'job', name, '--result')
      expect({ status: await result.exited, lines: result.lines, stderr: result.stderr }).toEqual({
        status: 0,
        lines: ['2470'],
        stderr: '',
      })
    }
  })

  it('report the job of a worker to a person, and nothing new to a program', async () => {
    const first = await cli.worker()
    const args = ['work', 'cli-work', '--workers', '1', ...loopback, ...cli.owner, '--bootstrap', first.address]
    const second = new JelProcess(args)
    await second.until(() => second.lines.some((line) => line.includes(' joined ')), 'it is in')
    const submit = cli.command(first.address, 'submit', cli.file, 'slow', '100', '--name', 'slow')
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
    const first = await cli.worker()
    const args = ['work', 'cli-work', '--json', '--workers', '1', '--show-output', ...loopback, ...cli.owner, '--bootstrap', first.address]
    const second = new JelProcess(args)
    await second.until(() => second.told('joined').length === 2, 'it is in')
    writeFileSync(cli.file, forging)
    // With two votes the task runs at both workers. Only the second one shows output.
    const submit = cli.command(first.address, 'submit', cli.file, 'forges', '"x"', '--name', 'forges', '--votes', '2', '--json')
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
    const logs = cli.command(first.address, 'job', 'forges', '--logs', '--follow')
    expect(await logs.exited).toBe(0)
    // Nobody knows which task wrote to a descriptor.
    const source = /^…\w{8}( forges)?( !)? \| /u
    expect(logs.lines.map((line) => line.replace(source, '')).toSorted()).toEqual([...printed, ...printed].toSorted())
    expect(logs.lines.every((line) => source.test(line))).toBe(true)
    const json = cli.command(first.address, 'job', 'forges', '--logs', '--json')
    expect(await json.exited).toBe(0)
    for (const node of [first, second]) expect(textOf(json, node)).toEqual(printed)
    const text = `${JSON.stringify({ event: 'died', way: 'console' })}\n`
    const ofTask = { event: 'output', fn: 'forges', task: '', stream: 'stdout', text: expect.stringContaining(text) }
    expect(json.events).toContainEqual(expect.objectContaining(ofTask))
    expect(first.of('output')).toEqual([])
    for (const process of [first, second, submit, json]) expect(process.told('died')).toEqual([])
  })

  it.runIf(process.platform === 'linux')('write each outcome to a file, and the file outlives an interrupt', async () => {
    const first = await cli.worker()
    await cli.worker(first.address)
    const [inputs, output] = [join(cli.folder, 'times.json'), join(cli.folder, 'each.jsonl')]
    writeFileSync(inputs, '[0, 1000]')
    writeFileSync(output, 'of before\n')
    const map = cli.command(first.address, 'map', '--command', 'sleep {}; echo NaN', '--inputs', inputs, '--each', '--output', output)
    await expect.poll(() => readFileSync(output, 'utf8'), { timeout: 30_000 }).toBe('{"index":0,"input":0,"value":"NaN"}\n')
    map.child.kill('SIGINT')
    await map.exited
    expect(map.lines).toEqual([])
    expect(readFileSync(output, 'utf8')).toMatch(/^\{"index":0.*\}\n$/u)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('leave the pool on %s, and the job to others', async (signal) => {
    const first = await cli.worker()
    const submit = cli.command(first.address, 'submit', cli.file, 'slow', '50000', '--json')
    await submit.until(() => submit.lines.some((line) => line.includes('"progress"')), 'progress')
    submit.child.kill(signal)
    expect({ status: await submit.exited, stderr: submit.stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^jel: the job goes on without this command: jel job cli-work [\da-f]{20} --follow, --result or --cancel\n$/u,
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
    const first = await cli.worker()
    const trusting = ['work', 'cli-work', '--json', '--workers', '1', '--accept', 'own', ...loopback, ...cli.stranger]
    const accepting = new JelProcess([...trusting, '--bootstrap', first.address])
    await accepting.until(() => accepting.told('joined').length === 2, 'it is in')
    first.child.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    const submit = cli.command(accepting.address, 'submit', cli.file, 'sum', '10', '--json', '--timeout', '12')
    expect(await submit.exited).toBe(1)
    expect(submit.stderr).toMatch(/^jel: the job waits: no member accepts programs of 12D3\w+; members with workers: 1$/mu)
    expect(submit.stderr).toMatch(/^jel: not done within 12 s: no member accepts programs of 12D3\w+; members with workers: 1$/mu)
  })

  it('fail where the given address leads to no member, and list no jobs without an address', async () => {
    // Nobody listens there: port 1 requires a privilege.
    const astray = ['--bootstrap', '/ip4/127.0.0.1/tcp/1']
    const client = (...args: string[]): JelProcess => new JelProcess([...args, ...loopback, ...cli.owner], 'ignore')
    const clients = [
      client('jobs', 'cli-work', ...astray),
      client('job', 'cli-work', 'squares', ...astray),
      client('jobs', 'cli-work', '--json'),
    ]
    const ends = clients.map(async (each) => ({ status: await each.exited, lines: each.lines, stderr: each.stderr }))
    const unreached = expect.stringMatching(/^jel: nobody else of the pool cli-work was found \(.*127\.0\.0\.1\/tcp\/1\b.*\)\n$/u) as string
    expect(await Promise.all(ends)).toEqual([
      { status: 1, lines: [], stderr: unreached },
      { status: 1, lines: [], stderr: unreached },
      { status: 0, lines: [], stderr: expect.stringMatching(/^jel: nobody else of the pool cli-work was found; on loopback/u) },
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
