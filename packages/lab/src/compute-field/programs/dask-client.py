"""A client of Dask. Each line of standard input is a call in JSON, and each reply is a line of standard output."""

import json
import sys
import time

from distributed import Client


def work(number, ms, busy, log):
    """The work of one task. Returns its number."""
    if busy or ms == 0:
        end = time.perf_counter() + ms / 1000
        while time.perf_counter() < end:
            pass
        return number
    if log is not None:
        with open(log, "a") as file:
            file.write(f"begin {number}\n")
    time.sleep(ms / 1000)
    if log is not None:
        with open(log, "a") as file:
            file.write(f"end {number}\n")
    return number


def check(total, tasks):
    if total != tasks * (tasks - 1) // 2:
        raise ValueError(f"the tasks' numbers add up to {total}")


class Submitter:
    def enter(self, port, workers):
        self.client = Client(f"tcp://127.0.0.1:{port}", set_as_default=False)
        self.client.wait_for_workers(workers)

    def begin(self, job):
        self.since = time.perf_counter()
        self.tasks = job["tasks"]
        # Not pure: otherwise Dask would reuse the values of an earlier job.
        self.futures = self.client.map(
            work, range(self.tasks), ms=job["ms"], busy=job["busy"], log=job.get("log"), pure=False
        )
        return {"log": job.get("log")}

    def ended(self):
        check(sum(self.client.gather(self.futures)), self.tasks)
        took = (time.perf_counter() - self.since) * 1000
        self.futures = None
        return took

    def inTurn(self, tasks):
        since = time.perf_counter()
        each = (self.client.submit(work, number, 0, False, None, pure=False).result() for number in range(tasks))
        check(sum(each), tasks)
        return (time.perf_counter() - since) * 1000

    jobByJob = inTurn


submitter = Submitter()
for line in sys.stdin:
    call = json.loads(line)
    try:
        reply = {"id": call["id"], "result": getattr(submitter, call["method"])(*call["args"])}
    except Exception as error:
        reply = {"id": call["id"], "error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
