import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JobCommands } from './job-commands.ts'
import { JelProcess, removeFolder } from './jel-process.ts'

let cli: JobCommands

describe('jel submit, map, jobs and job, at a worker that all these tests share', () => {
  let first: JelProcess

  beforeAll(async () => {
    cli = new JobCommands('cli-test')
    first = (await cli.worker()).keep()
  })

  afterAll(async () => {
    first.child.kill('SIGKILL')
    await first.exited
    await removeFolder(cli.folder)
  })

  it('compute a job, and print its result as JSON', async () => {
    const submit = cli.command(first.address, 'submit', cli.file, 'sum', '20', '--json', '--name', 'squares')
    expect({ status: await submit.exited, stderr: submit.stderr }).toEqual({ status: 0, stderr: '' })
    const events = submit.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events[0]).toMatchObject({ event: 'submitted', pool: 'cli-test', name: 'squares', job: expect.stringMatching(/^[\da-f]{20}$/u) })
    expect(
      events.slice(1, -1).every(({ event, covered, members }) => event === 'progress' && Number(covered) <= 1 && Number(members) <= 2),
    ).toBe(true)
    expect(events.at(-1)).toMatchObject({ event: 'done', job: events[0]?.['job'], result: 2470 })

    const list = cli.command(first.address, 'jobs', '--json')
    expect(await list.exited).toBe(0)
    const jobs = list.lines.map((line) => JSON.parse(line) as { name?: string })
    expect(jobs.filter(({ name }) => name === 'squares')).toMatchObject([{ event: 'job', state: 'done', covered: 1 }])

    const result = cli.command(first.address, 'job', 'squares', '--result')
    expect(await result.exited).toBe(0)
    expect(result.lines).toEqual(['2470'])

    const words = cli.here('job', 'squares')
    expect(await words.exited).toBe(0)
    expect(words.lines).toEqual(
      expect.arrayContaining(['state      done', expect.stringMatching(/^submitted  \d+ s ago$/u), 'done       100 %']),
    )

    const why = cli.here('job', 'squares', '--why')
    expect(await why.exited).toBe(0)
    expect(why.lines.join(' ')).toMatch(
      /^done: 100 % is done; \d members? ha(s|ve) begun \d+ tasks? and finished \d+, as this member heard$/u,
    )
  })

  it('call a function for each row of a table, keep going after a failure, and continue under a name', async () => {
    const inputs = join(cli.folder, 'table.csv')
    const output = join(cli.folder, 'out.csv')
    writeFileSync(inputs, 'a,b\n1,2\n3,0\n6,3\n')
    const flags = ['--inputs', inputs, '--name', 'ratios', '--keep-going']
    const table = cli.command(first.address, 'map', cli.file, 'ratio', ...flags, '--csv', '--output', output)
    expect({ status: await table.exited, lines: table.lines }).toEqual({ status: 1, lines: [] })
    expect(table.stderr).toContain('jel: 1 of 3 inputs failed\n')
    expect(readFileSync(output, 'utf8')).toBe('a,b,value,error\n1,2,0.5,\n3,0,,TASK_THREW: b is 0\n6,3,2,\n')
    const again = cli.here('map', cli.file, 'ratio', ...flags)
    expect(await again.exited).toBe(1)
    expect(again.lines).toEqual([
      '{"input":{"a":1,"b":2},"value":0.5}',
      '{"input":{"a":3,"b":0},"error":"TASK_THREW: b is 0"}',
      '{"input":{"a":6,"b":3},"value":2}',
    ])
    const atNode = ['map', 'cli-test', cli.file, 'ratio', '--inputs', inputs, '--keep-going', '--csv', '--node', first.id]
    const byNode = new JelProcess(atNode, 'ignore')
    expect(await byNode.exited).toBe(1)
    expect(byNode.lines).toEqual(['a,b,value,error', '1,2,0.5,', '3,0,,TASK_THREW: b is 0', '6,3,2,'])
    const many = join(cli.folder, 'many.json')
    writeFileSync(many, JSON.stringify(Array.from({ length: 150_000 }, (_, n) => n + 0.5)))
    const large = new JelProcess(atNode.with(atNode.indexOf(inputs), many), 'ignore')
    expect(await large.exited).toBe(2)
    expect(large.stderr).toContain('inputs: a sweep has at most 65536')
    writeFileSync(many, JSON.stringify(Array.from({ length: 400 }, (_, n) => ({ a: n, b: 2, pad: 'x'.repeat(5000) }))))
    const padded = new JelProcess(atNode.with(atNode.indexOf(inputs), many), 'ignore')
    expect(await padded.exited).toBe(0)
    expect(padded.lines.length).toBe(401)
    expect(padded.lines[400]).toMatch(/^399,2,x+,199\.5$/u)
    const stops = cli.here('map', cli.file, 'ratio', '--inputs', inputs)
    expect(await stops.exited).toBe(1)
    expect(stops.stderr).toMatch(/^jel: TASK_THREW: b is 0 .*\n {4}in ratio\(\{ a: 3, b: 0 \}\)$/mu)
  })

  it.runIf(process.platform === 'linux')('run a command for each line, with its files', async () => {
    const script = join(cli.folder, 'eval.sh')
    writeFileSync(script, '#!/bin/sh\necho "{\\"twice\\": $((2 * $1))}"\n', { mode: 0o755 })
    const inputs = join(cli.folder, 'lines.jsonl')
    writeFileSync(inputs, '1\n2\n')
    const map = cli.command(first.address, 'map', '--command', './eval.sh {}', '--files', script, '--inputs', inputs, '--csv')
    expect(await map.exited).toBe(0)
    expect(map.lines).toEqual(['input,twice', '1,2', '2,4'])
  })

  it.runIf(process.platform === 'linux')('write the files that a command makes to a folder for each input', async () => {
    const inputs = join(cli.folder, 'rows.jsonl')
    writeFileSync(inputs, '7\n8\n')
    const flags = ['--inputs', inputs, '--collect', 'out/*.csv', '--collect-to', join(cli.folder, 'made')]
    const map = cli.here('map', '--command', 'mkdir out; echo {} > out/a.csv; echo > b; echo {}', ...flags, '--csv')
    expect(await map.exited).toBe(0)
    expect(map.lines).toEqual(['input,value', '7,7', '8,8'])
    expect(map.stderr).toContain(`2 files in ${join(cli.folder, 'made')}`)
    expect(readdirSync(join(cli.folder, 'made'), { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
      '1',
      '1/out',
      '1/out/a.csv',
      '2',
      '2/out',
      '2/out/a.csv',
    ])
    expect(readFileSync(join(cli.folder, 'made/2/out/a.csv'), 'utf8')).toBe('8\n')
    const wrong = cli.here('map', '--command', 'true', '--inputs', inputs, '--collect-to', 'x')
    expect(await wrong.exited).toBe(2)
    const odd = cli.here('map', '--command', 'true', '--inputs', inputs, '--collect', '*', '--name', '../x')
    expect(await odd.exited).toBe(2)
  })

  it('hand a file over with a job', async () => {
    const data = join(cli.folder, 'data.bin')
    writeFileSync(data, new Uint8Array(1_500_000))
    const submit = cli.command(first.address, 'submit', cli.file, 'length', '{"times":2}', '--blob', `data=${data}`)
    expect({ status: await submit.exited, lines: submit.lines }).toEqual({ status: 0, lines: ['3000000'] })
  })

  it('leave a job to others, follow it by its name, wait a limited time for it, and cancel it', async () => {
    const submit = cli.command(first.address, 'submit', cli.file, 'slow', '100', '--detach', '--name', 'slow')
    expect({ status: await submit.exited, lines: submit.lines }).toEqual({ status: 0, lines: [] })
    const follow = cli.command(first.address, 'job', 'slow', '--follow', '--json')
    expect(await follow.exited).toBe(0)
    expect(JSON.parse(follow.lines.at(-1) as string)).toMatchObject({ event: 'done', result: 100 })

    const long = cli.here('submit', cli.file, 'slow', '50000', '--detach', '--name', 'long')
    expect(await long.exited).toBe(0)
    // The one enters the pool, and the other asks a node here.
    for (const late of [
      cli.command(first.address, 'job', 'long', '--result', '--timeout', '3'),
      cli.here('job', 'long', '--follow', '--timeout', '1'),
    ]) {
      expect(await late.exited).toBe(1)
      expect(late.stderr).toMatch(/^jel: not done within [13] s$/mu)
    }
    const cancel = cli.command(first.address, 'job', 'long', '--cancel')
    expect(await cancel.exited).toBe(0)
    const after = cli.here('job', 'long', '--result')
    expect({ status: await after.exited, stderr: after.stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cancelled by its owner'),
    })
  })

  it('leave the result of a job that is cancelled late, and forget it on demand', async () => {
    const job = async (...args: string[]): Promise<{ status: unknown; lines: string[]; stderr: string }> => {
      const process = cli.command(first.address, 'job', 'late', ...args)
      return { status: await process.exited, lines: process.lines, stderr: process.stderr }
    }
    expect(await cli.here('submit', cli.file, 'sum', '20', '--name', 'late').exited).toBe(0)
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
    const submit = cli.command(first.address, 'submit', cli.file, 'throws', '--json')
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
    const process = cli.command(first.address, 'job', 'nobody')
    expect({ status: await process.exited, stderr: process.stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('nobody in the pool has published'),
    })
  })
})
