import { execFileSync, execSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { confined } from '../src/program/command-confinement.ts'
import { CommandFolder } from '../src/program/command-folder.ts'
import { CommandGrid } from './command-grid.ts'

const commands = new CommandGrid({ workers: 1, limits: { time: 3000, disk: 4 } })
const trial = process.platform === 'linux' ? await CommandFolder.make() : undefined
const prefix = trial === undefined ? [] : await confined(trial)
await trial?.remove()

describe.runIf(prefix.length > 0)('a command in namespaces', () => {
  it('has no network', async () => {
    expect(await commands.outcomeOf("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")).toEqual({ status: 'fulfilled', value: 'lo' })
  })

  it('reaches no server of this machine', async () => {
    let reached = 0
    const server = createServer((socket) => void (reached++, socket.destroy())).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const connect = `exec 3<>/dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}`
    // Outside it works.
    execFileSync('bash', ['-c', connect])
    await expect.poll(() => reached).toBe(1)
    expect(await commands.outcomeOf(`bash -c '${connect}'`)).toMatchObject({
      reason: { code: 'COMMAND_FAILED', message: expect.stringMatching(/refused|unreachable/u) },
    })
    expect(reached).toBe(1)
    server.close()
  })

  it('leaves no process that made a session of its own', async () => {
    const processes = (): boolean => execSync('ps -eo args', { encoding: 'utf8' }).includes('sleep 6071')
    expect(await commands.outcomeOf('setsid sleep 6071 & sleep 0.2; echo done')).toEqual({ status: 'fulfilled', value: 'done' })
    expect(await commands.outcomeOf('setsid sleep 6071 & trap "" TERM; sleep 6071')).toMatchObject({
      reason: { code: 'COMMAND_TIMED_OUT' },
    })
    await expect.poll(processes).toBe(false)
  })

  it('has the user that runs it, and leaves its status', async () => {
    expect(await commands.outcomeOf('id -u')).toEqual({ status: 'fulfilled', value: process.getuid?.() })
    expect(await commands.outcomeOf('exit 7')).toMatchObject({
      reason: { code: 'COMMAND_FAILED', message: 'the command ended with status 7' },
    })
  })
})

describe.runIf(prefix.includes('bwrap'))('a command in bubblewrap', () => {
  it('sees no home, no keys, and no other folder of temporary files', async () => {
    const seen = `ls -A ${homedir()} ${commands.folder}/cache /etc/shadow /root /home /run 2>/dev/null | wc -l`
    expect(await commands.outcomeOf(seen)).toEqual({ status: 'fulfilled', value: 0 })
  })

  it('says so where its interpreter is in a home folder', async () => {
    expect(await commands.outcomeOf(`exec ${homedir()}/env/bin/python3`)).toMatchObject({
      reason: {
        code: 'COMMAND_FAILED',
        message: expect.stringMatching(/status 127, where home folders and \/tmp are hidden: .*not found/su),
      },
    })
  })

  it('writes to its own folders only', async () => {
    const command = (place: string): string => `echo x > ${place}/written; rm ${place}/written`
    for (const place of ['/usr', '/etc', '/dev', '/', '/opt', '/proc'])
      expect(await commands.outcomeOf(command(place))).toMatchObject({ status: 'rejected' })
    for (const place of ['.', '"$HOME"', '"$TMPDIR"', '/tmp', '/dev/shm'])
      expect(await commands.outcomeOf(command(place))).toMatchObject({ status: 'fulfilled' })
    expect(existsSync('/usr/written')).toBe(false)
  })

  it('is bounded in what it writes to /tmp and /dev/shm as well', async () => {
    for (const place of ['/tmp', '/dev/shm'])
      expect(await commands.outcomeOf(`for i in 1 2 3 4 5; do head -c 1M /dev/zero > ${place}/$i; done; sleep 6072`)).toMatchObject({
        reason: { code: 'COMMAND_DISK_FULL' },
      })
    expect(readdirSync('/tmp').filter((name) => name === '1')).toEqual([])
  })

  it('runs programs of the system', async () => {
    expect(await commands.outcomeOf('python3 -c "import multiprocessing as m; m.Lock(); print(7)"')).toEqual({
      status: 'fulfilled',
      value: 7,
    })
  })
})
