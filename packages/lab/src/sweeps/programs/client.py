import json
import sys
import time

import jel


def evaluate(point):
    end = time.perf_counter() + point["ms"] / 1000
    while time.perf_counter() < end:
        pass
    return {"y": point["x"] ** 2}


if __name__ == "__main__":
    with jel.Pool(sys.argv[1], bootstrap=sys.argv[3]) as pool, open(sys.argv[2]) as inputs:
        print(json.dumps(pool.map(evaluate, json.load(inputs), name="sweep")))
