import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, copyFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findEngine } from '../src/program/command-container.ts'
import { CommandGrid } from './command-grid.ts'

const IMAGE = 'localhost/jel-test:1'
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path))
const commands = new CommandGrid({ workers: 2, limits: { time: 12_000, disk: 4 } })

function run(file: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: 'pipe', timeout: 20_000 })
    return true
  } catch {
    return false
  }
}

/** Makes an image of BusyBox. Returns whether a container of it runs here. */
function hasImage(): boolean {
  if (BUSYBOX === undefined) return false
  const bin = join(commands.folder, 'image', 'bin')
  mkdirSync(bin, { recursive: true })
  copyFileSync(BUSYBOX, join(bin, 'busybox'))
  for (const name of ['cat', 'echo', 'env', 'sed', 'sh', 'sleep', 'touch']) symlinkSync('busybox', join(bin, name))
  const archive = join(commands.folder, 'image.tar')
  execFileSync('tar', ['-C', join(commands.folder, 'image'), '-cf', archive, '.'])
  return (
    ENGINE !== undefined &&
    run(ENGINE, 'import', archive, IMAGE) &&
    run(ENGINE, ...`run --rm --network none ${IMAGE} /bin/sh -c :`.split(' '))
  )
}
/** A client of docker without a daemon is no engine: its `version` fails. */
const ENGINE = ['podman', 'docker'].find((engine) => run(engine, 'version'))
const isReady = process.platform === 'linux' && hasImage()

async function outcomeOf(command: string, input: unknown, options = {}): Promise<unknown> {
  const job = await commands.grid.mapCommand(command, [input], { container: IMAGE, keepGoing: true, ...options })
  return ((await job.result) as unknown[])[0]
}
const left = (): string => execFileSync(ENGINE as string, ['ps', '--all', '--quiet', '--filter', 'name=jel-task-'], { encoding: 'utf8' })

describe.runIf(isReady)('a command in a container (needs podman or docker, and BusyBox)', () => {
  it('gets its files, its input, and hands over files', async () => {
    const file = join(commands.folder, 'number.txt')
    writeFileSync(file, '20')
    const job = await commands.grid.mapCommand(
      'echo made > out; echo "[$(cat), $(cat number.txt), $JEL_INPUT, "{}", \\"$HOME\\"]" | sed "s#$PWD#here#"',
      [7],
      {
        container: IMAGE,
        files: [file],
        collect: ['out'],
      },
    )
    expect(await job.result).toMatchObject([{ value: [7, 20, 7, 7, 'here'] }])
    expect(left()).toBe('')
    expect(commands.folders()).toEqual([])
  })

  it('writes only to its folders', async () => {
    expect(await outcomeOf('for d in . /tmp /dev/shm / /run /bin; do touch $d/x 2>/dev/null && echo $d; done; exit 0', 0)).toEqual({
      status: 'fulfilled',
      value: '.\n/tmp\n/dev/shm',
    })
  })

  it('fails with its status, and with the reason why its container did not start', async () => {
    expect(await outcomeOf('echo too bad >&2; exit 3', 0)).toMatchObject({
      reason: { code: 'COMMAND_FAILED', message: 'the command ended with status 3: too bad' },
    })
    expect(await outcomeOf('true', 0, { container: 'no:image:name' })).toMatchObject({
      reason: { code: 'COMMAND_CONTAINER_FAILED', message: expect.stringContaining('did not start: Error: ') },
    })
  })

  it('is asked to end at its time limit, and is removed if it ignores that', async () => {
    expect(await outcomeOf("trap 'echo bye >&2; exit' TERM; sleep 100 & wait", 0)).toMatchObject({
      reason: { code: 'COMMAND_TIMED_OUT', message: expect.stringContaining('bye') },
    })
    expect(await outcomeOf("trap '' TERM; while :; do sleep 1; done", 0)).toMatchObject({ reason: { code: 'COMMAND_TIMED_OUT' } })
    await expect.poll(left).toBe('')
  })

  it('may stay for many inputs', async () => {
    const loop = `while read -r line; do echo "$line" | sed 's/"input"/"value"/'; done`
    const job = await commands.grid.mapCommand(loop, [1, 'x', [2]], { container: IMAGE, persistent: true })
    expect(await job.result).toEqual([1, 'x', [2]])
  })
})

it.runIf(ENGINE === undefined)('without podman and docker a job whose command needs a container fails with the reason', async () => {
  expect(await outcomeOf('true', 0)).toMatchObject({
    reason: { code: 'COMMAND_CONTAINER_UNSUPPORTED', message: expect.stringMatching(/podman .*; docker /u) },
  })
})

it('a client of docker without a daemon is no engine, and its own words say why', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-engine-'))
  const docker = (script: string): void => writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  try {
    await expect(findEngine(folder)).rejects.toThrow('podman is not installed; docker is not installed')
    docker('echo "Client: 28.2"; echo "Cannot connect to the Docker daemon." >&2; exit 1')
    await expect(findEngine(folder)).rejects.toMatchObject({
      code: 'COMMAND_CONTAINER_UNSUPPORTED',
      message: expect.stringContaining('docker does not work: Cannot connect to the Docker daemon.'),
    })
    docker('[ "$1" = version ]')
    expect(await findEngine(folder)).toMatchObject({ name: 'docker' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it.each(['--privileged', '', 'a b'])('a container is refused if its image is no name: %s', async (container) => {
  await expect(commands.grid.mapCommand('true', [1], { container })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})
