import { execSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { computeLocal } from '../src/index.ts'
import { CommandGrid } from './command-grid.ts'

const commands = new CommandGrid({ workers: 1, limits: { time: 3000, memory: 64, disk: 4 } })
const processes = (): string[] =>
  execSync('ps -eo args', { encoding: 'utf8' })
    .split('\n')
    .filter((each) => each.includes('sleep 606'))

const failed = (code: string, message: unknown): unknown => ({
  status: 'rejected',
  reason: expect.objectContaining({ code, message, member: 'local', fn: 'command' }),
})

describe.runIf(process.platform === 'linux')('a command', () => {
  it('is asked to end at its time limit, and may clean up', async () => {
    const outcome = await commands.outcomeOf(`trap 'echo asked >&2; exit 0' TERM; echo busy >&2; while :; do sleep 0.05; done`)
    expect(outcome).toEqual(failed('COMMAND_TIMED_OUT', expect.stringMatching(/^the command ran for more than 2.4 s: busy\n.*asked$/su)))
  })

  it('is killed with its children if it ignores that', async () => {
    const before = commands.folders()
    const command = `trap '' TERM; (trap '' TERM; sleep 6060; sleep 6060) & sleep 6060; sleep 6060`
    expect(await commands.outcomeOf(command)).toEqual(failed('COMMAND_TIMED_OUT', expect.any(String)))
    await expect.poll(processes).toEqual([])
    await expect.poll(() => commands.folders()).toEqual(before)
  })

  it('leaves no child in the background, and does not wait for it', async () => {
    expect(await commands.outcomeOf('sleep 6061 & echo done')).toEqual({ status: 'fulfilled', value: 'done' })
    await expect.poll(processes).toEqual([])
  })

  it('ends with the process that runs its task', async () => {
    const before = commands.folders()
    const own = computeLocal({ workers: 1, cache: join(commands.folder, 'own') })
    await own.mapCommand(`(while :; do echo > $(mktemp -p .); done) & sleep 6062; true`, [1])
    await expect.poll(processes, { timeout: 10_000 }).not.toEqual([])
    await own.close()
    await expect.poll(processes, { timeout: 5000 }).toEqual([])
    await expect.poll(() => commands.folders()).toEqual(before)
  })

  it('ends if its files exceed the limit, be they one or many', async () => {
    const full = failed('COMMAND_DISK_FULL', expect.any(String))
    expect(await commands.outcomeOf('head -c 5M /dev/zero > big')).toEqual(full)
    expect(await commands.outcomeOf('for i in 1 2 3 4 5; do head -c 1M /dev/zero > "$TMPDIR/$i"; done; sleep 6063')).toEqual(full)
    expect(await commands.outcomeOf('head -c 3M /dev/zero > small')).toMatchObject({ status: 'fulfilled' })
  })

  it('ends if its files can not be counted, for they lie too deep', async () => {
    const deep = `n=$(printf 'x%.0s' $(seq 250)); for i in $(seq 20); do mkdir $n && cd $n || break; done; head -c 3M /dev/zero > big; sleep 6064`
    expect(await commands.outcomeOf(deep)).toEqual(failed('COMMAND_DISK_FULL', expect.any(String)))
  })

  it('gets no more memory than its limit and that of a runtime', async () => {
    const outcome = await commands.outcomeOf('dd if=/dev/zero of=/dev/null bs=800M count=1')
    expect(outcome).toEqual(failed('COMMAND_FAILED', expect.stringContaining('status 1: dd: memory exhausted')))
    expect(await commands.outcomeOf('dd if=/dev/zero of=/dev/null bs=100M count=1')).toMatchObject({ status: 'fulfilled' })
  })

  it('ends if it prints without end', async () => {
    expect(await commands.outcomeOf('yes')).toEqual(failed('COMMAND_OUTPUT_TOO_LARGE', 'the command prints more than 900000 bytes'))
    expect(await commands.outcomeOf('yes >&2')).toEqual(
      failed('COMMAND_TIMED_OUT', expect.stringMatching(/s: [y\n]+ … [y\n]{200,}(?:Terminated)?$/u)),
    )
  })

  it('fails with the name of the signal that ended it', async () => {
    expect(await commands.outcomeOf('echo oh >&2; kill -SEGV $$')).toEqual(
      failed('COMMAND_SIGNALLED', expect.stringMatching(/^SIGSEGV ended the command: oh/u)),
    )
  })
})
