import { execSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computeLocal, type TaskOutput } from '../src/index.ts'
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
