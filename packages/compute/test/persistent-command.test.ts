import { execSync } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { computeLocal, type TaskOutput } from '../src/index.ts'
import { commandTask } from '../src/program/command.ts'
import type { FromProgram } from '../src/program/messages.ts'
import { PersistentCommand } from '../src/program/persistent-command.ts'
import { Runtime } from '../src/program/runtime.ts'
import { encodeValue } from '../src/program/values.ts'
import { CommandGrid } from './command-grid.ts'

const commands = new CommandGrid({ workers: 1, limits: { time: 3000, disk: 4 } })

/**
 * A command that reads lines. `$n` counts them, and `answer <text>` ends an answer with this text.
 */
const loop = (body: string): string =>
  `answer() { echo "\${line%\\"input\\"*}$1}"; }; n=0; while read -r line; do n=$((n + 1)); ${body}; done`
const echo = `printf '%s\\n' "$line" | sed 's/"input"/"value"/'`
const on = (input: unknown, action: string): string => `case "$line" in *'"input":${JSON.stringify(input)}}') ${action};; esac`

async function outcomesOf(command: string, inputs: readonly unknown[]): Promise<unknown> {
  return await (
    await commands.grid.mapCommand(command, inputs, { persistent: true, keepGoing: true })
  ).result
}
const fulfilled = (value: unknown): unknown => ({ status: 'fulfilled', value })
const failed = (code: string, message: unknown): unknown => ({
  status: 'rejected',
  reason: expect.objectContaining({ code, message, member: 'local', fn: 'command' }),
})

describe.runIf(process.platform === 'linux')('a persistent command', () => {
  it('handles one input after the other', async () => {
    const job = await commands.grid.mapCommand(loop(`answer "\\"value\\":$n"`), ['a', 'b', 'c', 'd'], { persistent: true })
    expect(((await job.result) as number[]).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4])
  })

  it('gets inputs and gives values as JSON, with NaN', async () => {
    const inputs = [{ a: [1, 'x\n"'] }, null, 'text']
    expect(await (await commands.grid.mapCommand(loop(echo), inputs, { persistent: true })).result).toEqual(inputs)
    expect(await outcomesOf(loop(`answer '"value":[NaN]'`), [1])).toEqual([fulfilled([Number.NaN])])
  })

  it('prints lines that are no answers: they are output of the task', async () => {
    const job = await commands.grid.mapCommand(loop(`echo hello; echo '{"id":77,"value":0}'; ${echo}; echo late`), [1], {
      persistent: true,
    })
    expect(await job.result).toEqual([1])
    const outputs: TaskOutput[] = []
    for await (const output of job.output()) outputs.push(output)
    const printed = outputs.map(({ text }) => text).join('')
    expect(printed).toMatch(/^hello\n\{"id":77,"value":0\}\n/u)
    expect(outputs[0]).toMatchObject({ fn: 'command', stream: 'stdout' })
  })

  it('fails for one input with an error, and stays', async () => {
    const body = `if [ "$n" = 2 ]; then answer '"error":"too bad"'; else answer "\\"value\\":$n"; fi`
    const outcomes = (await outcomesOf(loop(body), [1, 2, 3])) as unknown[]
    expect(outcomes).toHaveLength(3)
    expect(outcomes).toContainEqual(fulfilled(1))
    expect(outcomes).toContainEqual(failed('COMMAND_FAILED', 'the command failed: too bad'))
    expect(outcomes).toContainEqual(fulfilled(3))
  })

  it('starts again after an input that ends it, and that input fails', async () => {
    expect(await outcomesOf(loop(`${on(2, 'echo oh >&2; exit 3')}; ${echo}`), [1, 2, 3])).toEqual([
      fulfilled(1),
      failed('COMMAND_FAILED', 'the command ended with status 3: oh'),
      fulfilled(3),
    ])
    expect(await outcomesOf('exit 0', [1])).toEqual([failed('COMMAND_FAILED', 'the command ended without an answer')])
  })

  it('saves states, which are no output and no answer', async () => {
    const job = await commands.grid.mapCommand(loop(`answer '"save":{"step":1}'; answer '"save":{"step":2}'; answer '"value":7'`), [1], {
      persistent: true,
    })
    expect(await job.result).toEqual([7])
    for await (const { text } of job.output()) expect(text).toBe('no output')
  })

  it('gets the state that an earlier run saved, and hands over its own', async () => {
    const limits = { time: 3000, memory: 512, disk: 64 }
    const body = `answer '"save":[1]'; answer '"save":[2]'; ${echo}`
    const command = await PersistentCommand.start({ command: loop(body), files: [], env: {}, limits, image: undefined })
    try {
      const states: unknown[] = []
      const save = async (state: unknown): Promise<void> => void states.push(state)
      expect(await command.valueOf({ a: 1 }, performance.now(), { saved: { step: 5 }, save })).toEqual({ a: 1 })
      expect(states).toEqual([[1], [2]])
      const seen = await PersistentCommand.start({
        command: loop(`case "$line" in *'"saved":{"step":5}}') answer '"value":1';; *) answer '"value":0';; esac`),
        files: [],
        env: {},
        limits,
        image: undefined,
      })
      expect(await seen.valueOf('x', performance.now(), { saved: { step: 5 }, save })).toBe(1)
      expect(await seen.valueOf('x', performance.now())).toBe(0)
      await seen.remove()
      // A state that can not be saved fails the input.
      const refuse = async (): Promise<void> => await Promise.reject(new RangeError('too large'))
      const slow = await PersistentCommand.start({
        command: loop(`answer '"save":[1]'; sleep 0.3; ${echo}`),
        files: [],
        env: {},
        limits,
        image: undefined,
      })
      await expect(slow.valueOf({ a: 1 }, performance.now(), { saved: undefined, save: refuse })).rejects.toThrow('too large')
      await slow.remove()
    } finally {
      await command.remove()
    }
  })

  it('may leave out a value, and print other lines with its number', async () => {
    expect(await outcomesOf(loop(`echo '{"id":1,"progress":0.5}'; ${echo}`), [7])).toEqual([fulfilled(7)])
    expect(await outcomesOf(loop(`echo "\${line%,*}}"`), [1])).toEqual([fulfilled(null)])
  })

  it('may end right after an answer without the end of its line', async () => {
    expect(await outcomesOf(`read -r line; ${echo} | tr -d '\\n'`, [1, 2])).toEqual([fulfilled(1), fulfilled(2)])
  })

  it('is not tried again with an input whose answer is too large', async () => {
    const outcomes = await outcomesOf(loop(`[ "$n" = 2 ] && head -c 1000000 /dev/zero | tr '\\0' x; ${echo}`), [1, 2])
    expect(outcomes).toContainEqual(failed('COMMAND_OUTPUT_TOO_LARGE', expect.anything()))
  })

  it('may end after some inputs: the next one is no failure', async () => {
    expect(await outcomesOf(loop(`[ "$n" = 3 ] && exit 1; ${echo}`), [1, 2, 3, 4, 5])).toEqual([1, 2, 3, 4, 5].map(fulfilled))
    expect(await outcomesOf(loop(`${echo}; exit 0`), [1, 2, 3])).toEqual([1, 2, 3].map(fulfilled))
  })

  it('has the time of each input, and ends if an input takes longer', async () => {
    expect(await outcomesOf(loop(`${on('long', 'sleep 6075')}; sleep 0.4; ${echo}`), [1, 2, 3, 4, 5, 6, 7, 'long', 8])).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7].map(fulfilled),
      failed('COMMAND_TIMED_OUT', expect.stringMatching(/^the command ran for more than 2.4 s/u)),
      fulfilled(8),
    ])
  })

  it('prints at most 900,000 bytes in a line', async () => {
    expect(await outcomesOf(loop(`head -c 1000000 /dev/zero | tr '\\0' x; ${echo}`), [1])).toEqual([
      failed('COMMAND_OUTPUT_TOO_LARGE', 'the command prints a line of more than 900000 bytes'),
    ])
  })

  it('ends with a run that nobody needs any more', async () => {
    const before = commands.folders()
    const command = commandTask({ command: loop('sleep 6077'), files: {}, isPersistent: true })
    const posted: FromProgram[] = []
    const host = {
      job: 'job',
      post: (messages: readonly FromProgram[]) => void posted.push(...messages),
      step: () => 'x'.repeat(10),
      stack: String,
      describe: String,
      idle: () => setImmediate(),
      onBehalfOf: <Result>(_: object, action: () => Result) => action(),
    }
    const runtime = new Runtime(host, { command }, [])
    const path = 'p'.repeat(10)
    runtime.handle([{ type: 'run', path, fn: 'command', input: encodeValue(1), split: false }])
    const runs = (): boolean => execSync('ps -eo args', { encoding: 'utf8' }).split('\n').includes('sleep 6077')
    await expect.poll(runs, { timeout: 10_000 }).toBe(true)
    runtime.handle([{ type: 'forget', path }])
    await expect.poll(runs, { timeout: 10_000 }).toBe(false)
    await expect.poll(() => commands.folders()).toEqual(before)
    expect(posted.filter((message) => message.type === 'returned')).toEqual([])
  })

  it('ends with its job, and its folder goes', async () => {
    const before = commands.folders()
    const own = computeLocal({ workers: 1, cache: join(commands.folder, 'own') })
    const job = await own.mapCommand(`(sleep 6076) & echo > made; ${loop(echo)}`, [1, 2], { persistent: true })
    expect(await job.result).toEqual([1, 2])
    await own.close()
    const left = (): boolean => execSync('ps -eo args', { encoding: 'utf8' }).includes('sleep 6076')
    await expect.poll(left, { timeout: 10_000 }).toBe(false)
    await expect.poll(() => commands.folders()).toEqual(before.filter((name) => name.startsWith('jel-task-')))
  })

  it.each([
    ['collect', 'cat', { collect: ['*'] }],
    ['command', './eval.py {}', {}],
  ])('is refused with what only a command for each input has: %s', async (option, command, options) => {
    await expect(commands.grid.mapCommand(command, [1], { ...options, persistent: true })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(`${option}: a persistent command`),
    })
  })
})
