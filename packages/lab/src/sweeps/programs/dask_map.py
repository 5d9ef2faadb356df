import json
import sys
import time

from distributed import Client


def evaluate(point):
    end = time.perf_counter() + point["ms"] / 1000
    while time.perf_counter() < end:
        pass
    return {"y": point["x"] ** 2}


if __name__ == "__main__":
    with Client(sys.argv[1]) as client, open(sys.argv[2]) as inputs:
        print(json.dumps(client.gather(client.map(evaluate, json.load(inputs)))))
