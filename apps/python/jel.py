"""Jobs on a pool of jel, from Python. Needs the command `jel` and nothing else.

    import jel

    with jel.Pool('farm') as pool:
        print(pool.map(evaluate, [{'rate': 0.1}, {'rate': 0.2}]))

`evaluate` is a function of a module, in a file. Workers need `python3`, and must trust the owner of
this user's jobs: workers that this user starts do so.
"""

import inspect
import itertools
import json
import os
import pathlib
import queue
import shlex
import subprocess
import tempfile
import threading

__all__ = ['Pool', 'Job', 'JobFailed', 'JobCancelled', 'JelError', 'as_completed']

# Runs one function for the input on standard input. A worker calls it once for each input.
_RUNNER = '''\
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("task", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules["task"] = module
out, sys.stdout = sys.stdout, sys.stderr
spec.loader.exec_module(module)
value = getattr(module, sys.argv[2])(json.load(sys.stdin))
json.dump(value, out)
'''
_RUNNER_NAME = 'jel-run.py'
_ENDS = ('done', 'failed', 'cancelled')


class JelError(Exception):
    """An error of the node. `code` is stable, for example `JOB_NOT_KEPT`."""

    def __init__(self, code, message):
        super().__init__(f'{code}: {message}')
        self.code = code


class JobFailed(JelError):
    """A job failed. `remote` is the event of the failure: member, fn, input, stack, and more."""

    def __init__(self, event):
        where = f" (at {event['member']})" if event.get('member') else ''
        # The message about a command ends with its traceback.
        shows_stack = event.get('stack') and event['code'] != 'COMMAND_FAILED'
        stack = f"\n{event['stack']}" if shows_stack else ''
        super().__init__(event['code'], event['message'] + where + stack)
        self.remote = event


class JobCancelled(JelError):
    """The owner cancelled the job."""

    def __init__(self):
        super().__init__('JOB_CANCELLED', 'its owner cancelled the job')


class Job:
    """A job that was submitted. It goes on without this process."""

    def __init__(self, pool, number):
        self._pool = pool
        self._number = number
        self._events = []
        self._changed = threading.Condition()
        self._watchers = []

    def _take(self, event):
        with self._changed:
            self._events.append(event)
            self._changed.notify_all()
            watchers = list(self._watchers) if self.is_over else []
        for watcher in watchers:
            watcher(self)

    def _watch(self, watcher):
        with self._changed:
            self._watchers.append(watcher)
            over = self.is_over
        if over:
            watcher(self)

    def _first(self, *kinds):
        return next((event for event in self._events if event['event'] in kinds), None)

    @property
    def id(self):
        """The id of the job, once another member has it; None before."""
        event = next((each for each in self._events if 'job' in each), None)
        return event and event['job']

    @property
    def is_over(self):
        return self._first(*_ENDS, 'error') is not None

    @property
    def progress(self):
        """The share that is done, 0 to 1."""
        if self._first('done'):
            return 1.0
        return next((event['covered'] for event in reversed(self._events) if event['event'] == 'progress'), 0.0)

    def result(self, timeout=None):
        """Waits for the value. Raises JobFailed, JobCancelled, JelError or TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.is_over, timeout):
                raise TimeoutError(f'the job is not over after {timeout} s')
        end = self._first(*_ENDS, 'error')
        if end['event'] == 'failed':
            raise JobFailed(end)
        if end['event'] == 'cancelled':
            raise JobCancelled()
        if end['event'] == 'error':
            raise JelError(end['code'], end['message'])
        return end['result']


def as_completed(jobs, timeout=None):
    """Yields jobs as they end."""
    ended = queue.Queue()
    jobs = list(jobs)
    for job in jobs:
        job._watch(ended.put)
    seen = set()
    while len(seen) < len(jobs):
        try:
            job = ended.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f'no job ended within {timeout} s') from None
        if id(job) not in seen:
            seen.add(id(job))
            yield job


class Pool:
    """A node that joins a pool for as long as this object is open. It computes nothing itself.

    `bootstrap`, `listen`: addresses, as in `192.0.2.7:4001`. `jel`: the command that starts jel;
    default: the variable JEL, or `jel`. `flags`: further flags of `jel join`.
    """

    def __init__(self, name, bootstrap=(), listen=(), jel=None, flags=()):
        command = shlex.split(jel or os.environ.get('JEL', 'jel'))
        addresses = [*_flags('--bootstrap', bootstrap), *_flags('--listen', listen)]
        self._process = subprocess.Popen(
            [*command, 'join', name, '--json', *addresses, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding='utf-8',
        )
        self._jobs = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._started = threading.Event()
        self._ended = threading.Event()
        self._error = None
        self.members = {}
        threading.Thread(target=self._read, daemon=True).start()
        self._started.wait()
        if self._error is not None:
            raise self._error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Leaves the pool. Jobs go on without this node."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.wait()
        self._ended.wait()

    def submit(self, file, function, input=None, name=None):
        """Submits a function of a JavaScript or TypeScript program. Returns a Job."""
        command = {'file': os.path.abspath(file), 'function': function, 'input': input, 'name': name}
        return self._send('submit', command)

    def submit_map(self, called, inputs, files=(), name=None, keep_going=False, retries=0):
        """Submits a sweep; see `map`. Returns a Job whose result is the list."""
        files = [os.path.abspath(file) for file in files]
        folder = None
        if callable(called):
            module = inspect.getsourcefile(called)
            name_of = called.__name__
            if module is None or called.__qualname__ != name_of or not name_of.isidentifier():
                raise ValueError(f'{called!r} must be a function at the top of a module in a file')
            folder = tempfile.TemporaryDirectory(prefix='jel-')
            runner = pathlib.Path(folder.name, _RUNNER_NAME)
            runner.write_text(_RUNNER, encoding='utf-8')
            arguments = map(shlex.quote, [os.path.basename(module), name_of])
            called = f"python3 {_RUNNER_NAME} {' '.join(arguments)}"
            # The module may import this one.
            files = [str(runner), os.path.abspath(module), os.path.abspath(__file__), *files]
        command = {
            'shell': called,
            'files': files,
            'inputs': list(inputs),
            'name': name,
            'keepGoing': keep_going,
            'retries': retries,
        }
        job = self._send('map', command)
        # The node reads the files before it reports the job.
        job._folder = folder
        return job

    def map(self, called, inputs, files=(), name=None, keep_going=False, retries=0, timeout=None):
        """Calls a function, or runs a command for the shell, once for each input.

        Returns the values in the order of the inputs. Inputs and values are what JSON has. A
        function is one at the top of a module in a file; the module and `files` go along. In a
        command `{}` stands for the input. With `keep_going` the list has an exception in place of
        the value of an input that failed.
        """
        job = self.submit_map(called, inputs, files, name, keep_going, retries)
        values = job.result(timeout)
        if not keep_going:
            return values
        return [each['value'] if each['status'] == 'fulfilled' else JobFailed(each['reason']) for each in values]

    def _send(self, command, fields):
        with self._lock:
            if self._error is not None:
                raise self._error
            number = next(self._numbers)
            job = self._jobs[number] = Job(self, number)
            given = {name: value for name, value in fields.items() if value is not None}
            line = json.dumps({'command': command, 'id': number, 'until': 'ended', **given})
            self._process.stdin.write(line + '\n')
            self._process.stdin.flush()
        return job

    def _read(self):
        for line in self._process.stdout:
            event = json.loads(line)
            kind = event['event']
            if kind == 'started':
                self._started.set()
            elif kind == 'joined':
                self.members[event['node']['id']] = event['node']
            elif kind in ('left', 'died'):
                self.members.pop(event['node']['id'], None)
            elif kind == 'error' and 're' not in event and not self._started.is_set():
                self._error = JelError(event['code'], event['message'])
            job = self._jobs.get(event.get('re'))
            if job is not None:
                if kind == 'done' and 'job' not in event:
                    continue
                job._take(event)
        if self._error is None:
            self._error = JelError('STOPPED', 'the node has stopped')
        for job in self._jobs.values():
            if not job.is_over:
                job._take({'event': 'error', 'code': 'STOPPED', 'message': 'the node has stopped'})
        self._started.set()
        self._ended.set()


def _flags(name, values):
    values = [values] if isinstance(values, str) else values
    return [part for value in values for part in (name, value)]
