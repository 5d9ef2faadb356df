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
import os
import socket
import sys
import time
import beside
import jel

def evaluate(parameters):
    print('computing')
    if parameters['rate'] == 0:
        raise ValueError('the rate is 0')
    return {'twice': parameters['rate'] * 2}

def echo(value):
    return value

calls = 0

def count(value):
    global calls
    calls += 1
    os.system('cat; printf hello')
    return calls if value else sys.exit('no value')

def imported(value):
    return beside.name

def add(one, two=10):
    return one + two

def nothing():
    return 'nothing'

def stay(seconds):
    time.sleep(seconds)

def doubled(array):
    return array * 2

if __name__ == '__main__':
    with jel.Pool('python', bootstrap=sys.argv[1], listen='127.0.0.1:0') as pool:
        print(pool.map(evaluate, [{'rate': 1}, {'rate': 2}], timeout=60))
        print(pool.map('echo {}', ['a b', 3], timeout=60))
        failed, value = pool.map(evaluate, [{'rate': 0}, {'rate': 3}], keep_going=True, timeout=60)
        print(failed.code, failed.index, repr(failed), value)
        try:
            pool.map(evaluate, [{'rate': 0}], timeout=60)
        except jel.JobFailed as error:
            print(error.code, error.remote['fn'], error.input)
        jobs = [pool.submit_map(echo, [number]) for number in range(3)]
        print(sorted(job.result() for job in jel.as_completed(jobs, timeout=60)))
        print(pool.submit(sys.argv[2], 'square', 7).result(60), len(pool.members))
        calls = [pool.submit(add, 1), pool.submit(add, 1, 2), pool.submit(nothing)]
        print(pool.map(add, [1, 2, 3], [10, 20], timeout=60), [call.result(60) for call in calls])
        for wrong in (lambda: pool.map('echo {}', [1], ['eval.py']), lambda: pool.map(add), lambda: pool.submit('a.ts'), lambda: pool.submit(add, 1, keep_going=True)):
            try:
                wrong()
            except TypeError as error:
                print(error)
        try:
            pool.map(echo, [1], python='no-such-python', timeout=60)
        except jel.JobFailed as error:
            print('no-such-python' in str(error))
        def late(value):
            return value
        for called in (lambda x: x, len, late):
            try:
                pool.map(called, [1])
            except ValueError as error:
                print('top of a module' in str(error), 'does not run at workers' in str(error))
        try:
            pool.map('echo {}', [float('nan')])
        except ValueError:
            print('no JSON')
        infinite = float('inf')
        print(pool.map(echo, [float('nan'), -infinite, {'$jel': (1, infinite)}], timeout=60), pool.map(imported, [1], timeout=60))
        exact = [2**63 + 1, 10**400, 1.0, -0.0, 'a\\udc80', {'__proto__': 1, 'z': [2**53 + 1]}]
        print([repr(value) for value in pool.map(echo, exact, timeout=60)] == [repr(value) for value in exact])
        try:
            pool.map(echo, [{1: 'a'}])
        except TypeError as error:
            print(error)
        counted = pool.map(count, [1, 0, 2], keep_going=True, timeout=60)
        print(sorted(map(str, counted))[:2], 'SystemExit: no value' in str(counted[1]))
        texts = [str(number) * 4000 for number in range(500)]
        print(pool.map(echo, texts, timeout=60) == texts)
        sweep = pool.submit_map(evaluate, [{'rate': 0}, {'rate': 4}], keep_going=True)
        print(sorted((place, type(value).__name__) for place, value in sweep.as_completed(60)), sweep.result()[1])
        sweep = pool.submit_map(evaluate, [{'rate': 5}, {'rate': 0}])
        try:
            for _ in sweep.as_completed(60):
                pass
        except jel.JobFailed:
            print('then the failure')
        job = pool.submit_map(stay, [100])
        job.cancel()
        try:
            job.result(0)
        except jel.JobCancelled:
            print('cancelled')
        try:
            import numpy
            print(pool.map('echo {}', [numpy.int64(3), numpy.arange(2)], timeout=60))
            values = pool.map(doubled, [numpy.arange(6, dtype='int16').reshape(2, 3)], timeout=60)[0]
            print(values.dtype, values.tolist())
        except ImportError:
            print('[3, [0, 1]]')
            print('int16 [[0, 2, 4], [6, 8, 10]]')
        except jel.JobFailed as error:
            # Commands have the Python of the system. It may be another one than the client's.
            print('int16 [[0, 2, 4], [6, 8, 10]]' if "No module named 'numpy'" in str(error) else error)
    with jel.Pool('nobody', listen='127.0.0.1:0') as pool:
        try:
            pool.map('true', [1], timeout=15)
        except TimeoutError as error:
            print(error)
            error.job.cancel()
            print(error.job.is_over)
    # The node warns that an introducer does not answer, and starts all the same. A wrapper prints a line.
    wrapper = sys.argv[2] + '.sh'
    with open(wrapper, 'w') as file:
        file.write('echo wrapped; exec ' + os.environ['JEL'] + ' "$@"')
    silent = socket.create_server(('127.0.0.1', 0))
    with jel.Pool('late', bootstrap='127.0.0.1:%d' % silent.getsockname()[1], listen='127.0.0.1:0', jel='sh ' + wrapper) as pool:
        print(len(pool.members))
        try:
            pool.submit(sys.argv[2], 'square', 'x' * 2**26)
        except jel.JelError as error:
            print(error.code)
    try:
        jel.Pool('python', jel='no-such-command')
    except jel.JelError as error:
        print(error.code)
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
    writeFileSync(join(folder, 'beside.py'), "name = 'beside'\n")
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
        "COMMAND_FAILED 0 <JobFailed COMMAND_FAILED: ValueError: the rate is 0> {'twice': 6}",
        `COMMAND_FAILED command '{"rate": 0}'`,
        '[[0], [1], [2]]',
        '49 2',
        "[11, 22] [11, 3, 'nothing']",
        'a command has one list of inputs, not 2: for its files use files=',
        'a sweep needs a list of inputs',
        'submit takes a function with its arguments, or a file, the name of a task, and an input',
        'keep_going is for sweeps: one call has a result or an exception',
        'True',
        'True False',
        'True False',
        'False True',
        'no JSON',
        "[nan, -inf, {'$jel': [1, inf]}] ['beside']",
        'True',
        'the key 1 is no text',
        "['1', '3'] True",
        'True',
        "[(0, 'JobFailed'), (1, 'dict')] {'twice': 8}",
        'then the failure',
        'cancelled',
        '[3, [0, 1]]',
        'int16 [[0, 2, 4], [6, 8, 10]]',
        'the job is not over after 15 s: no member of the pool computes',
        'True',
        '1',
        'LINE_TOO_LONG',
        'NO_COMMAND',
        '',
      ],
      err: 'jel: the job waits: no member of the pool computes\n',
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const parts = String.raw`
import io, pickle, sys
import jel
names = jel._names_of_main
main = b"if __name__ == '__main__':\n"
print(sorted(names(main + b" def a(): pass\n with x:\n  def b(): pass\n  def c():\n   def d(): pass\n")))
for source in [
    b"if __name__ != '__main__':\n def a(): pass\n",
    main + b" def a(): pass\nelse:\n def a(): pass\n",
    b"try:\n def a(): pass\nexcept E: pass\n" + main + b" def a(): pass\n class K:\n  def z(): pass\n",
    "# -*- coding: latin-1 -*-\nx = '\xe9'\n".encode('latin-1'),
    b"def (",
]:
    print(names(source))
error = pickle.loads(pickle.dumps(jel.JobFailed({'code': 'X', 'message': 'bad \x1b[2J', 'input': '1'}, 3)))
for each in [jel.JelError('A', 'b'), jel.JobCancelled()]:
    print(str(pickle.loads(pickle.dumps(each))))
print(names(b'x = ' + b' + '.join([b'1'] * 5000)))
print(error.index, error.input, '\x1b' in str(error))
def typed(value):
    return value
jel.inspect.getsourcefile = lambda called: '<stdin>'
try:
    jel._place_of(typed)
except ValueError as problem:
    print('in a file' in str(problem))
sys.stderr = None
jel._tell('nobody reads it')
sys.stderr = io.StringIO()
jel._tell('a\x1bb')
print('\x1b' in sys.stderr.getvalue())
job = jel.Job(None, 1)
def reason_after(event, **fields):
    job._take({'event': event, 'job': 'j', 'reason': '', 'covered': 0, 'state': 'active', 'finished': 0, **fields})
    return job.reason
print([
    reason_after('progress', state='pending', reason='nobody computes'),
    reason_after('progress'),
    reason_after('waits', reason='a task hangs'),
    reason_after('progress', covered=0.1),
    reason_after('progress', finished=1),
    reason_after('progress', state='failed', reason='no such luck'),
])
def job_of_timeout(wait):
    try:
        wait()
    except TimeoutError as error:
        return error.job is late, str(error)
late = jel.Job(None, 2)
print(job_of_timeout(lambda: late.cancel(0)), job_of_timeout(lambda: list(jel.as_completed([late], timeout=0))))
late._take({'event': 'submitted', 'job': 'j'})
late._pool = type('Silent', (), {'_write': lambda *_: None})
print(job_of_timeout(lambda: late.cancel(0)))
once = jel.Job(None, 3)
once._take({'event': 'done', 'job': 'j', 'result': 5})
print([job.result(0) for job in jel.as_completed([once, once], timeout=0)])
class Array:
    dtype = type('float64', (), {'hasobject': False, 'names': None, '__str__': lambda _: 'float64'})()
    mask = tobytes = None
try:
    jel._encode(Array())
except TypeError as problem:
    print(problem)
node = ['sh', '-c', 'echo "$0"; exec sleep 60', '{"event":"started","node":{"id":"a"}}']
with jel.Pool('alone', jel=jel.shlex.join(node)) as pool:
    print(list(pool.members))
`

it.runIf(hasPython)('the Python client reads any module, knows its node at once, shows no escapes and needs no standard error', () => {
  const { stdout, stderr } = spawnSync('python3', ['-c', parts], { env: { ...process.env, PYTHONPATH: client }, encoding: 'utf8' })
  const none = 'set()'
  expect({ lines: stdout.split('\n'), stderr }).toEqual({
    lines: [
      "['a', 'b', 'c']",
      none,
      none,
      none,
      none,
      none,
      'A: b',
      'JOB_CANCELLED: its owner cancelled the job',
      none,
      '3 1 False',
      'True',
      'False',
      "['nobody computes', '', 'a task hangs', 'a task hangs', '', '']",
      "(True, 'the job has no id after 0 s') (True, 'no job ended within 0 s')",
      "(True, 'the job is not cancelled after 0 s')",
      '[5]',
      "an array of float64 with objects, fields or a mask can't be sent",
      "['a']",
      '',
    ],
    stderr: '',
  })
})
