"""Jobs on a pool of jel, from Python. Needs the command `jel` and nothing else.

    import jel

    with jel.Pool('farm') as pool:
        print(pool.map(evaluate, [{'rate': 0.1}, {'rate': 0.2}]))

`evaluate` is a function of a module, in a file. Workers need `python3`, and must trust the owner of
this user's jobs. Workers that the same user starts trust this owner.
"""

import ast
import base64
import inspect
import itertools
import json
import os
import pathlib
import queue
import shlex
import subprocess
import sys
import tempfile
import threading

__all__ = ['Pool', 'Job', 'Call', 'Sweep', 'JobFailed', 'JobCancelled', 'JelError', 'as_completed']


def _encode(value):
    """Returns the value as JSON in Python's dialect, which has NaN and integers of any size.

    Marks NumPy arrays. Raises TypeError for other types. The JSON travels as a text, because
    JavaScript has no large integers in JSON, and reads 1.0 as 1.
    """
    return json.dumps(_marked(value))


def _decode(text):
    return _unmarked(json.loads(text))


def _marked(value):
    if isinstance(value, (list, tuple)):
        return [_marked(each) for each in value]
    if isinstance(value, dict):
        odd = next((key for key in value if not isinstance(key, str)), None)
        if odd is not None:
            raise TypeError(f'the key {odd!r} is no text')
        marked = {key: _marked(each) for key, each in value.items()}
        return {'$jel': 'dict', 'value': marked} if '$jel' in value else marked
    if not (hasattr(value, 'dtype') and hasattr(value, 'tobytes')):
        return value
    if value.dtype.hasobject or value.dtype.names is not None or hasattr(value, 'mask'):
        raise TypeError(f"an array of {value.dtype} with objects, fields or a mask can't be sent")
    if value.shape == ():
        item = value.item()
        if hasattr(item, 'dtype'):
            raise TypeError(f'a number of {value.dtype} is no number of Python')
        return _marked(item)
    data = base64.b64encode(value.tobytes()).decode()
    return {'$jel': 'array', 'dtype': value.dtype.str, 'shape': list(value.shape), 'value': data}


def _unmarked(value):
    if isinstance(value, list):
        return [_unmarked(each) for each in value]
    if not isinstance(value, dict):
        return value
    kind = value.get('$jel')
    if kind == 'array':
        import numpy

        data = numpy.frombuffer(base64.b64decode(value['value']), dtype=value['dtype'])
        return data.reshape(value['shape']).copy()
    return {key: _unmarked(each) for key, each in (value['value'] if kind == 'dict' else value).items()}


# Runs one function, for one input after the other. A worker starts it once for many inputs.
_RUNNER = '''\
import base64, importlib.util, json, os, sys, traceback
CODEC
def trace_of(error):
    # The trace begins in the function's module, unless the error came before the call.
    trace = error.__traceback__.tb_next or error.__traceback__
    return ''.join(traceback.format_exception(type(error), error, trace))
# Programs that the function starts must not read the inputs or write answers.
inputs, out = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
sys.stdout = sys.stderr
spec = importlib.util.spec_from_file_location("task", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules["task"] = module
spec.loader.exec_module(module)
function = getattr(module, sys.argv[2])
spreads = sys.argv[3:] == ["*"]
for line in inputs:
    task = json.loads(line)
    try:
        given = _decode(task["input"])
        value = function(*given) if spreads else function(given)
        text = json.dumps({"id": task["id"], "value": _encode(value)})
    except (Exception, SystemExit) as error:
        text = json.dumps({"id": task["id"], "error": trace_of(error)})
    sys.stderr.flush()
    print(text, file=out, flush=True)
'''
_RUNNER_NAME = 'jel-run.py'
_INPUTS_NAME = 'inputs.json'
# The longest command that a node takes, in bytes.
_COMMAND_LIMIT = 64 * 1024 * 1024
_ENDS = ('done', 'failed', 'cancelled', 'error')


class JelError(Exception):
    """An error of the node. `code` is stable, for example `JOB_NOT_KEPT`."""

    def __init__(self, code, message):
        super().__init__(_printable(f'{code}: {message}'))
        self.code = code
        self.message = message

    def __reduce__(self):
        return JelError, (self.code, self.message)


class JobFailed(JelError):
    """A job failed. `remote` is the event of the failure: member, fn, stack, and more.

    `input` is the text of the failed input, or the beginning of this text. `index` is the index of
    the input in a sweep with `keep_going`, else None.
    """

    def __init__(self, event, index=None):
        self.index = index
        self.input = event.get('input')
        where = f" (at {event['member']})" if event.get('member') else ''
        if self.input is not None:
            where = f', for the input {self.input[:100]}{where}'
        # The message of COMMAND_FAILED already ends with the traceback.
        shows_stack = event.get('stack') and event['code'] != 'COMMAND_FAILED'
        stack = f"\n{event['stack']}" if shows_stack else ''
        super().__init__(event['code'], event['message'] + where + stack)
        self.remote = event

    def __repr__(self):
        # The last line of a traceback names the error.
        *_, last = ['', *self.remote['message'].strip().splitlines()]
        return _printable(f'<JobFailed {self.code}: {last[:200]}>')

    def __reduce__(self):
        return JobFailed, (self.remote, self.index)


class JobCancelled(JelError):
    """The owner cancelled the job."""

    def __init__(self):
        super().__init__('JOB_CANCELLED', 'its owner cancelled the job')

    def __reduce__(self):
        return JobCancelled, ()


class Job:
    """A job that was submitted. It goes on without this process."""

    def __init__(self, pool, number):
        self._pool = pool
        self._number = number
        self._id = None
        self._reason = ''
        self._covered = 0.0
        self._standing = None
        self._is_kept = False
        self._outcomes = []
        self._end = None
        self._folder = None
        self._changed = threading.Condition()
        self._watchers = []

    def _take(self, event):
        kind = event['event']
        with self._changed:
            self._id = self._id or event.get('job')
            if kind == 'progress':
                self._take_progress(event)
            elif kind == 'waits':
                self._reason = event['reason']
            elif kind == 'submitted':
                self._is_kept = True
            elif kind == 'outcome':
                self._outcomes.append(event)
            elif kind in _ENDS:
                self._end = self._end or event
            if self._folder is not None and (self._id or self._end):
                # The node has read the files: it does so before it reports the job.
                self._folder.cleanup()
                self._folder = None
            self._changed.notify_all()
            watchers = list(self._watchers) if self.is_over else []
        if kind == 'waits':
            _tell(f"jel: the job waits: {event['reason']}")
        for watcher in watchers:
            watcher(self)

    def _take_progress(self, event):
        """Notes progress. Keeps the reason of a hanging task until a task ends."""
        if event['reason'] or (event['state'], event['finished']) != self._standing:
            self._reason = event['reason'] if event['state'] in ('pending', 'active') else ''
        self._standing = event['state'], event['finished']
        self._covered = event['covered']

    def _watch(self, watcher):
        with self._changed:
            self._watchers.append(watcher)
            over = self.is_over
        if over:
            watcher(self)

    @property
    def id(self):
        """The id of the job; None until the node has reported the job."""
        return self._id

    @property
    def reason(self):
        """Why the job waits, as text for people; empty if it does not wait."""
        return self._reason

    @property
    def is_over(self):
        return self._end is not None

    @property
    def progress(self):
        """The share that is done, 0 to 1."""
        return 1.0 if self._end is not None and self._end['event'] == 'done' else self._covered

    def result(self, timeout=None):
        """Waits for the value. Raises JobFailed, JobCancelled, JelError or TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.is_over, timeout):
                raise self._late(f'the job is not over after {timeout} s')
        end = self._end
        if end['event'] == 'failed':
            raise JobFailed(end)
        if end['event'] == 'cancelled':
            raise JobCancelled()
        if end['event'] == 'error':
            raise JelError(end['code'], end['message'])
        return end['result']

    def _late(self, message):
        """Returns a TimeoutError whose `job` is this job. The job goes on, and can be cancelled."""
        error = TimeoutError(f'{message}: {self.reason}' if self.reason else message)
        error.job = self
        return error

    def cancel(self, timeout=30):
        """Ends the job for good.

        Waits for at most `timeout` seconds for the id of the job, and then for at most `timeout`
        seconds for its end. Raises TimeoutError with this job as `job` if either takes longer.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self.is_over or self.id, timeout):
                raise self._late(f'the job has no id after {timeout} s')
            if self.is_over:
                return
        self._pool._write({'command': 'job', 'job': self.id, 'do': 'cancel'})
        with self._changed:
            if not self._changed.wait_for(lambda: self.is_over, timeout):
                raise self._late(f'the job is not cancelled after {timeout} s')


class Sweep(Job):
    """A job with one value for each input. Its result is the list of the values."""

    def __init__(self, pool, number, decode, keep_going, folder):
        super().__init__(pool, number)
        self._folder = folder
        self._decode = decode
        self._keep_going = keep_going

    def result(self, timeout=None):
        values = super().result(timeout)
        if not self._keep_going:
            return [self._decode(value) for value in values]
        return [
            self._decode(each['value']) if each['status'] == 'fulfilled' else JobFailed(each['reason'], index)
            for index, each in enumerate(values)
        ]

    def as_completed(self, timeout=None):
        """Yields the index of each input with its value, in the order in which the values come.

        With `keep_going` a failed input has an exception in place of its value. Raises the same
        errors as `result`, after the values that came earlier. `timeout`: seconds for the next
        value.
        """
        seen = 0
        while True:
            with self._changed:
                if not self._changed.wait_for(lambda: self.is_over or len(self._outcomes) > seen, timeout):
                    raise self._late(f'no value came within {timeout} s')
                outcomes = self._outcomes[seen:]
                seen += len(outcomes)
            for each in outcomes:
                index, failure = each['index'], each.get('failure')
                yield index, self._decode(each.get('value')) if failure is None else JobFailed(failure, index)
            if not outcomes:
                self.result(0)
                return


class Call(Sweep):
    """A job with one call of a function. Its result is the value of the call."""

    def result(self, timeout=None):
        return super().result(timeout)[0]


def as_completed(jobs, timeout=None):
    """Yields each job once, as it ends. See Sweep.as_completed for the values of one job.

    `timeout`: seconds for the next end. Then there is a TimeoutError, whose `job` is the first job
    that has not ended.
    """
    if isinstance(jobs, Job):
        raise TypeError('give a list of jobs; as_completed of a sweep yields the values of one job')
    ended = queue.Queue()
    jobs = list(dict.fromkeys(jobs))
    for job in jobs:
        job._watch(ended.put)
    seen = set()
    while len(seen) < len(jobs):
        try:
            job = ended.get(timeout=timeout)
        except queue.Empty:
            job = next(each for each in jobs if id(each) not in seen)
            raise job._late(f'no job ended within {timeout} s') from None
        if id(job) not in seen:
            seen.add(id(job))
            yield job


class Pool:
    """A node that joins a pool for as long as this object is open. It computes nothing itself.

    `bootstrap`, `listen`: addresses, as in `192.0.2.7:4001`. `jel`: the command that starts jel;
    default: the variable JEL, or `jel`. `flags`: further flags of `jel join`.
    """

    def __init__(self, name, bootstrap=(), listen=(), jel=None, flags=()):
        self._name = name
        self._bootstrap = bootstrap
        command = shlex.split(jel or os.environ.get('JEL', 'jel'))
        addresses = [*_flags('--bootstrap', bootstrap), *_flags('--listen', listen)]
        try:
            self._process = subprocess.Popen(
                [*command, 'join', name, '--json', *addresses, *flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding='utf-8',
            )
        except FileNotFoundError:
            message = f'there is no command {command[0]}: set JEL to the command that starts jel, with absolute paths'
            raise JelError('NO_COMMAND', message) from None
        self._jobs = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._started = threading.Event()
        self._ended = threading.Event()
        self._error = None
        self._warning = None
        self.members = {}
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._started.wait()
            if self._error is not None:
                raise self._error
        except BaseException:
            self.close()
            raise

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

    def submit(self, called, *arguments, name=None, **options):
        """Submits one call of a function: `submit(evaluate, 1, 2)`. Returns a Job.

        The function and the options are as for `map`. `submit('sum.ts', 'sum', 1000)` submits a task
        of a JavaScript or TypeScript program: the file, the name of the task, and the input.
        """
        if callable(called):
            if 'keep_going' in options:
                raise TypeError('keep_going is for sweeps: one call has a result or an exception')
            return self._sweep(Call, called, *_call_of(arguments), name=name, **options)
        if options or len(arguments) not in (1, 2):
            raise TypeError('submit takes a function with its arguments, or a file, the name of a task, and an input')
        function, value = (*arguments, None)[:2]
        command = {'file': os.path.abspath(called), 'function': function, 'input': value, 'name': name}
        return self._send('submit', command, Job)

    def submit_map(self, called, *inputs, **options):
        """Submits a sweep as `map` does, but without `timeout`. Returns a Sweep."""
        return self._sweep(Sweep, called, *_calls_of(called, inputs), each=True, **options)

    def map(self, called, *inputs, timeout=None, **options):
        """Calls a function, or runs a command for the shell, once for each input.

        Returns the values in the order of the inputs. With several lists of inputs a function has an
        argument from each, as with the `map` of Python. Inputs and values of a function may be JSON
        values, any float, and NumPy arrays. The function must be defined at the top level of a
        module that is a file. Its module is sent to the workers, with `files` and with the modules
        of the same folder that are imported here. In a command `{}` stands for the input. Inputs of
        a command are JSON values. After `timeout` seconds there is a TimeoutError. The job goes on,
        and is the `job` of the error.

        Options: `files`: paths of further files. `name`: the same call with the same name goes on
        with the sweep after an interrupt. `keep_going`: the list has an exception in place of the
        value of a failed input. `retries`: the number of further tries of a failed input.
        `container`: the name of an image in which the function or command runs. `python`: the
        program that runs a function, without arguments. Default: `python3`. If the workers have a
        virtual environment, give the absolute path of its Python. In a container, the image must
        have this program.
        """
        sweep = self._sweep(Sweep, called, *_calls_of(called, inputs), **options)
        try:
            return sweep.result(timeout)
        except KeyboardInterrupt:
            if sweep._is_kept:
                job = shlex.join([self._name, sweep.id, *_flags('--bootstrap', self._bootstrap)])
                _tell(f'jel: the job goes on: jel job {job} --follow, --result or --cancel')
            raise

    def _sweep(
        self,
        kind,
        called,
        inputs,
        spreads,
        files=(),
        name=None,
        keep_going=False,
        retries=0,
        container=None,
        python='python3',
        each=False,
    ):
        if isinstance(files, (str, os.PathLike)):
            raise TypeError(f'files must be a list of paths: files=[{str(files)!r}]')
        files = [os.path.abspath(file) for file in files]
        decode = _same
        persistent = None
        folder = tempfile.TemporaryDirectory(prefix='jel-')
        if callable(called):
            persistent = True
            module, name_of = _place_of(called)
            runner = pathlib.Path(folder.name, _RUNNER_NAME)
            codec = ''.join(inspect.getsource(part) for part in (_encode, _decode, _marked, _unmarked))
            runner.write_text(_RUNNER.replace('CODEC', codec), encoding='utf-8')
            arguments = [python, _RUNNER_NAME, os.path.basename(module), name_of, *(['*'] if spreads else [])]
            called = f'exec {shlex.join(arguments)}'
            files = [str(runner), module, *_beside(module), *files]
            inputs, decode = [_encode(each_input) for each_input in inputs], _decode
        listed = json.dumps(inputs, allow_nan=False, default=_plain)
        pathlib.Path(folder.name, _INPUTS_NAME).write_text(listed, encoding='utf-8')
        command = {
            'shell': called,
            'files': files,
            'inputsFile': os.path.join(folder.name, _INPUTS_NAME),
            'name': name,
            'keepGoing': keep_going,
            'retries': retries,
            'each': each,
            'persistent': persistent,
            'container': container,
        }
        return self._send('map', command, lambda *place: kind(*place, decode, keep_going, folder))

    def _send(self, command, fields, make):
        with self._lock:
            number = next(self._numbers)
        job = make(self, number)
        given = {name: value for name, value in fields.items() if value is not None}
        self._jobs[number] = job
        try:
            self._write({'command': command, 'id': number, 'until': 'ended', **given})
        except BaseException:
            del self._jobs[number]
            raise
        return job

    def _write(self, command):
        # NaN is no valid JSON. The node could not read the line, nor say whose command it is.
        line = json.dumps(command, allow_nan=False)
        if len(line) > _COMMAND_LIMIT:
            raise JelError('LINE_TOO_LONG', f'the command has {len(line)} bytes of JSON; a node takes at most {_COMMAND_LIMIT}')
        with self._lock:
            if self._error is not None:
                raise self._error
            try:
                self._process.stdin.write(line + '\n')
                self._process.stdin.flush()
            except OSError:
                raise JelError('STOPPED', 'the node has stopped') from None

    def _read(self):
        try:
            for line in self._process.stdout:
                event = _event_of(line)
                if event is not None:
                    self._take(event)
        finally:
            stopped = JelError('STOPPED', 'the node has stopped')
            with self._lock:
                self._error = stopped if self._started.is_set() else self._warning or stopped
            for job in list(self._jobs.values()):
                job._take({'event': 'error', 'code': 'STOPPED', 'message': 'the node has stopped'})
            self._started.set()
            self._ended.set()

    def _take(self, event):
        kind = event['event']
        if kind in ('started', 'joined'):
            self.members[event['node']['id']] = event['node']
            if kind == 'started':
                self._started.set()
        elif kind in ('left', 'died'):
            self.members.pop(event['node']['id'], None)
        elif kind == 'error' and 're' not in event and not self._started.is_set():
            # The node may start all the same. If it ends instead, this is the reason.
            self._warning = JelError(event['code'], event['message'])
        job = self._jobs.get(event.get('re'))
        # The last event of a command is `done` without a job.
        if job is None or (kind == 'done' and 'job' not in event):
            return
        job._take(event)
        if job.is_over:
            self._jobs.pop(event['re'], None)


def _event_of(line):
    """Returns None for a line that a wrapper around the node has printed."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and 'event' in event else None


def _tell(text):
    if sys.stderr is None:
        return
    try:
        print(_printable(text), file=sys.stderr)
    except (OSError, ValueError):
        # Standard error is closed. The job goes on.
        pass


def _printable(text):
    """Makes text of other members safe for a terminal."""
    return ''.join(each if each.isprintable() or each in '\n\t' else '\ufffd' for each in text)


def _same(value):
    return value


def _plain(value):
    """Returns the JSON value of a number or an array of NumPy, for a command."""
    if hasattr(value, 'tolist'):
        return value.tolist()
    raise TypeError(f'{value!r} is no JSON value')


def _call_of(arguments):
    """Returns one call as inputs, and whether an input is a list of arguments.

    If a function has one argument, the input is the argument itself. So a failure shows the
    argument, and no list.
    """
    return ([arguments[0]], False) if len(arguments) == 1 else ([arguments], True)


def _calls_of(called, lists):
    """Returns all calls of a function or a command, in the form in which `_call_of` has one call."""
    if not callable(called) and len(lists) != 1:
        raise TypeError(f'a command has one list of inputs, not {len(lists)}: for its files use files=')
    if not lists:
        raise TypeError('a sweep needs a list of inputs')
    return (list(lists[0]), False) if len(lists) == 1 else (list(zip(*lists)), True)


def _place_of(called):
    """Returns the file and the name of a function at the top of a module."""
    try:
        module = inspect.getsourcefile(called)
    except TypeError:
        module = None
    name = getattr(called, '__name__', '')
    # A function of a prompt or a notebook has no file.
    is_file = module is not None and os.path.isfile(module)
    if not is_file or getattr(called, '__qualname__', None) != name or not name.isidentifier():
        raise ValueError(f'{called!r} must be a function at the top of a module in a file')
    if name in _names_of_main(pathlib.Path(module).read_bytes()):
        raise ValueError(f"{name} is defined below if __name__ == '__main__', which does not run at workers")
    return os.path.abspath(module), name


def _names_of_main(source):
    """Returns the names of functions that only the `__main__` part of a module defines."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        # The worker reports the error.
        return set()
    mains = [each for each in body if isinstance(each, ast.If) and ast.dump(each.test) in _MAIN_TESTS]
    others = [each for each in body if each not in mains] + [part for main in mains for part in main.orelse]
    return _defined([part for main in mains for part in main.body]) - _defined(others)


_MAIN_TESTS = [
    ast.dump(ast.parse(test, mode='eval').body) for test in ("__name__ == '__main__'", "'__main__' == __name__")
]


def _defined(body):
    """Returns the names of the functions that a block defines, its inner blocks included."""
    names = set()
    for each in body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(each.name)
        elif isinstance(each, (ast.stmt, ast.ExceptHandler)) and not isinstance(each, ast.ClassDef):
            names |= _defined(ast.iter_child_nodes(each))
    return names


def _beside(module):
    """Returns this file, and the files of the imported modules in the folder of a module."""
    folder = os.path.dirname(module)
    files = {os.path.abspath(__file__)}
    for each in list(sys.modules.values()):
        file = getattr(each, '__file__', None)
        if file is not None and file.endswith('.py') and os.path.dirname(os.path.abspath(file)) == folder:
            files.add(os.path.abspath(file))
    return sorted(files - {module})


def _flags(name, values):
    values = [values] if isinstance(values, str) else values
    return [part for value in values for part in (name, value)]
