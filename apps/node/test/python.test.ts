import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { JelProcess, loopback, runtime, script } from './jel-process.ts'

const client = join(import.meta.dirname, '../../python')
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0

const program = `
import sys
import jel

def evaluate(parameters):
    print('computing')
    if parameters['rate'] == 0:
        raise ValueError('the rate is 0')
    return {'twice': parameters['rate'] * 2}

def echo(value):
    return value

if __name__ == '__main__':
    with jel.Pool('python', bootstrap=sys.argv[1], listen='127.0.0.1:0') as pool:
        print(pool.map(evaluate, [{'rate': 1}, {'rate': 2}], timeout=60))
        print(pool.map('echo {}', ['a b', 3], timeout=60))
        failed, value = pool.map(evaluate, [{'rate': 0}, {'rate': 3}], keep_going=True, timeout=60)
        print(failed.code, 'ValueError: the rate is 0' in str(failed), value)
        try:
            pool.map(evaluate, [{'rate': 0}], timeout=60)
        except jel.JobFailed as error:
            print(error.code, error.remote['fn'], error.remote['input'])
        jobs = [pool.submit_map(echo, [number]) for number in range(3)]
        print(sorted(job.result() for job in jel.as_completed(jobs, timeout=60)))
        print(pool.submit(sys.argv[2], 'square', 7).result(60), len(pool.members))
        try:
            pool.map(lambda x: x, [1])
        except ValueError as error:
            print('top of a module' in str(error))
`

it.runIf(hasPython)('the Python client maps functions and commands, submits programs, and raises remote errors', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jel-python-'))
  try {
    const owner = join(folder, 'config')
    const env = { XDG_CONFIG_HOME: owner, XDG_RUNTIME_DIR: runtime }
    const worker = new JelProcess(['work', 'python', '--json', '--workers', '1', ...loopback], 'pipe', script, env)
    await worker.until(() => worker.of('started').length > 0, 'it started')
    const file = join(folder, 'sweep.py')
    writeFileSync(file, program)
    writeFileSync(join(folder, 'square.js'), "import { task } from '@jel/compute/program'\nexport const square = task((n) => n * n)\n")
    const python = spawn('python3', [file, worker.address, join(folder, 'square.js')], {
      env: { ...process.env, ...env, PYTHONPATH: client, JEL: `${process.execPath} ${script}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err] = await Promise.all([text(python.stdout), text(python.stderr), once(python, 'close')])
    expect({ lines: out.split('\n'), err }).toEqual({
      lines: [
        "[{'twice': 2}, {'twice': 4}]",
        "['a b', 3]",
        "COMMAND_FAILED True {'twice': 6}",
        'COMMAND_FAILED command { rate: 0 }',
        '[[0], [1], [2]]',
        '49 2',
        'True',
        '',
      ],
      err: '',
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
