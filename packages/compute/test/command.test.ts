import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type TaskOutput } from '../src/index.ts'
import { CommandGrid } from './command-grid.ts'

const commands = new CommandGrid({ workers: 2 })
const fileOf = (name: string, text: string): string => {
  writeFileSync(join(commands.folder, name), text)
  return join(commands.folder, name)
}

describe.runIf(process.platform === 'linux')('a command for each input', () => {
  it.each([
    ['in its place beside quotes', `echo "it's" '"'{} \\"{}`, ['a b'], [`it's "a b "a b`]],
    ['in its place, quoted', 'echo {} and {}', ["it's $HOME; true"], ["it's $HOME; true and it's $HOME; true"]],
    ['as JSON on standard input', 'cat', [{ a: [1, 'x'] }, 7], [{ a: [1, 'x'] }, 7]],
    ['as JSON in a variable', 'echo "$JEL_INPUT"', [[1], null], [[1], null]],
    ['and prints nothing', 'true', [1], ['']],
  ])('gets the input %s', async (_, command, inputs, values) => {
    expect(await (await commands.grid.mapCommand(command, inputs)).result).toEqual(values)
  })

  it('finds its files in a folder of its own, and leaves nothing behind', async () => {
    const before = commands.folders()
    const script = fileOf('twice.sh', '#!/bin/sh\npwd > made; echo $((2 * $(cat number.txt) + $1))\n')
    chmodSync(script, 0o755)
    const job = await commands.grid.mapCommand('./twice.sh {}', [1, 2], { files: [script, fileOf('number.txt', '20\n')] })
    expect(await job.result).toEqual([41, 42])
    expect(commands.folders()).toEqual(before)
  })

  it('fails with its status and its last words, which are output of the task as well', async () => {
    const job = await commands.grid.mapCommand('echo too bad >&2; exit {}', [3])
    await expect(job.result).rejects.toMatchObject({
      code: 'COMMAND_FAILED',
      message: 'the command ended with status 3: too bad',
      fn: 'command',
      input: '3',
    })
    const outputs: TaskOutput[] = []
    for await (const output of job.output()) outputs.push(output)
    expect(outputs).toMatchObject([{ fn: 'command', stream: 'stderr', text: 'too bad\n' }])
  })

  it('gets a long input on standard input only', async () => {
    const long = 'x'.repeat(200_000)
    const job = await commands.grid.mapCommand('wc -c; echo "$JEL_INPUT" | wc -c', [long])
    expect(await job.result).toEqual(['200003\n1'])
    await expect((await commands.grid.mapCommand('echo {}', [long])).result).rejects.toMatchObject({
      code: 'COMMAND_FAILED',
      message: expect.stringContaining('standard input'),
    })
  })

  it.each(["echo '{}'", 'echo "x{}"', `echo "it's {}"`])('is refused with its input within quotes: %s', async (command) => {
    await expect(commands.grid.mapCommand(command, [1])).rejects.toThrow('command: {} has its own quotes')
  })

  it('may print 900,000 bytes', async () => {
    const job = await commands.grid.mapCommand('head -c {} /dev/zero | tr "\\0" x', [900_000, 900_001], { keepGoing: true })
    const [first, second] = (await job.result) as [{ value: string }, { reason: { message: string } }]
    expect(first.value.length).toBe(900_000)
    expect(second.reason.message).toBe('the command prints more than 900000 bytes')
  })

  it('is refused if a file is missing, or two have one name', async () => {
    await expect(commands.grid.mapCommand('true', [1], { files: [join(commands.folder, 'none')] })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
    const file = fileOf('one.txt', '')
    await expect(commands.grid.mapCommand('true', [1], { files: [file, file] })).rejects.toThrow('two files have the name one.txt')
  })
})
