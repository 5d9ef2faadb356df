import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { NodeEvent } from '../src/events/events.ts'
import { join1, runtime } from './jel-process.ts'

it('a node runs commands for events, also for members that it finds on entering', async () => {
  const first = await join1('handled', '--elect', 'master')
  await first.until(() => first.of('elected').length > 0, 'elected')
  const file = join(runtime, 'handled')
  const pid = join(runtime, 'handled.pid')
  const node = await join1(
    'handled',
    '--bootstrap',
    first.address,
    '--on',
    `joined,died,elected:master=cat >> '${file}'`,
    '--on',
    `signal:go=echo "$JEL_EVENT $JEL_NAME $JEL_NODE $JEL_MEMBER" >> '${file}.signal'`,
    '--on',
    'signal:stay=exit 1',
    '--on',
    `signal:sleep=echo $$ > '${pid}'; exec sleep 1000`,
    '--on',
    'signal:fail=echo no such luck; exit 3',
    '--on',
    'query:load=echo "$JEL_LOCATION is 0.42"; cat > /dev/null',
  )
  const handled = (): NodeEvent[] => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as NodeEvent)
  }
  await node.until(() => handled().length === 3, 'the snapshot')
  expect(
    handled()
      .map((event) => `${event.event} ${'node' in event ? event.node.id : ''}`)
      .toSorted(),
  ).toEqual([`joined ${node.id}`, `joined ${first.id}`, `elected ${first.id}`].toSorted())
  first.send({ command: 'signal', name: 'go', nodes: [node.id] })
  await node.until(() => existsSync(`${file}.signal`), 'the signal')
  await node.until(() => readFileSync(`${file}.signal`, 'utf8') === `signal go ${node.id} ${first.id}\n`, 'the signal')

  first.send({ command: 'query', name: 'load', nodes: [node.id], id: 'load' })
  await first.until(() => first.of('reply').length > 0, 'the reply')
  expect(first.of('reply').map(({ payload }) => Buffer.from(payload, 'base64').toString())).toEqual([
    expect.stringMatching(/^\S+ is 0\.42$/u),
  ])

  first.send({ command: 'signal', name: 'fail', nodes: [node.id] })
  await node.until(() => node.of('error').length > 0, 'an error')
  expect(node.of('error')).toMatchObject([
    { code: 'HANDLER_FAILED', message: expect.stringMatching(/ for signal: status 3: no such luck$/u) },
  ])

  first.send({ command: 'signal', name: 'sleep', nodes: [node.id] })
  await node.until(() => existsSync(pid) && readFileSync(pid, 'utf8').endsWith('\n'), 'a command that sleeps')
  first.child.kill('SIGKILL')
  await node.until(() => handled().some((event) => event.event === 'died'), 'the death')
  node.child.kill('SIGTERM')
  expect(await node.exited).toBe(0)
  expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH')
})
