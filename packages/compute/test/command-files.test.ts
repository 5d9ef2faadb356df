import { describe, expect, it } from 'vitest'
import { type CommandResult, type MapOutcome } from '../src/index.ts'
import { toBytes } from '../src/schemas.ts'
import { CommandGrid } from './command-grid.ts'

const commands = new CommandGrid({ workers: 2 })

describe.runIf(process.platform === 'linux')('a command that makes files', () => {
  it('hands those that match to its submitter', async () => {
    const command = 'mkdir -p out/deep; echo {} > out/a.csv; echo b > out/b.txt; echo c > out/deep/c.csv; echo d > d.json; echo value'
    const job = await commands.grid.mapCommand(command, [1, 2], { collect: ['out/*.csv', '*.json'] })
    const results = (await job.result) as CommandResult[]
    expect(results.map(({ value }) => value)).toEqual(['value', 'value'])
    const files = await Promise.all(results.map(async (result) => await job.files(result.files)))
    expect(files.map((each) => each.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]))).toEqual([
      [
        ['d.json', 'd\n'],
        ['out/a.csv', '1\n'],
      ],
      [
        ['d.json', 'd\n'],
        ['out/a.csv', '2\n'],
      ],
    ])
  })

  it('hands over no file to which a link leads', async () => {
    const command = 'mkdir real; echo x > real/x; ln -s real out; ln -s /etc/passwd passwd; mkfifo pipe; echo y > y'
    const job = await commands.grid.mapCommand(command, [1], { collect: ['**', '*'] })
    const [result] = (await job.result) as [CommandResult]
    expect((await job.files(result.files)).map(({ path }) => path)).toEqual(['real/x', 'y'])
  })

  it('fails if they are too many, or too large', async () => {
    const lines = ['for i in $(seq 257); do echo > $i; done', 'head -c 33M /dev/zero > big', 'truncate -s 100G huge']
    for (const command of lines) {
      const [outcome] = (await (await commands.grid.mapCommand(command, [1], { collect: ['*'], keepGoing: true })).result) as MapOutcome[]
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: expect.stringMatching(/^COMMAND_(?:FILES_TOO_LARGE|DISK_FULL)$/u) },
      })
    }
  })

  it.each([['../*'], ['/etc/*'], ['out/../../*'], ['']])('is refused if a pattern leads out of its folder: %j', async (pattern) => {
    await expect(commands.grid.mapCommand('true', [1], { collect: [pattern] })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})

it('files of a false name are refused by their submitter', async () => {
  const job = await commands.grid.mapCommand('true', [1])
  await job.result
  const forged = await commands.grid.blob(toBytes([['../x', new Uint8Array()]]))
  await expect(job.files(forged)).rejects.toThrow('a path leads out of the folder')
  await expect(job.files({ blob: 'nonsense' })).rejects.toMatchObject({ code: 'BLOB_MISSING' })
})
