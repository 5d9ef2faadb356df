import json
import sys
import time

point = json.loads(sys.argv[1])
end = time.perf_counter() + point["ms"] / 1000
while time.perf_counter() < end:
    pass
print(json.dumps({"y": point["x"] ** 2}))
