/** The same measurements with Open MPI over TCP, in Python's binding. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Order } from './application.ts'
import { PYTHON } from '../network/tools.ts'

const SCRIPT = `
import sys, time
import numpy
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, rounds, size, sums = world.Get_rank(), int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == 'sums'
message, other = numpy.ones(max(size // 8, 1)), numpy.empty(max(size // 8, 1))
count = 0 if size == 0 else len(message)
def round():
    if sums:
        world.Allreduce(message, other)
    elif rank == 0:
        world.Send([message, count, MPI.DOUBLE], 1)
        world.Recv([other, count, MPI.DOUBLE], 1)
    else:
        world.Recv([other, count, MPI.DOUBLE], 0)
        world.Send([other, count, MPI.DOUBLE], 0)
for _ in range(rounds // 10):
    round()
begin = time.perf_counter()
for _ in range(rounds):
    round()
if rank == 0:
    print((time.perf_counter() - begin) * 1e6 / rounds)
`

/** Returns the mean time of a round, µs. */
export function mpi(folder: string, ranks: number, order: Order): number {
  const file = join(folder, 'bench.py')
  writeFileSync(file, SCRIPT)
  const args = [
    '--allow-run-as-root',
    '--oversubscribe',
    '--mca',
    'btl',
    'tcp,self',
    '--mca',
    'btl_tcp_if_include',
    'lo',
    '--mca',
    'pml',
    'ob1',
  ]
  const program = [PYTHON, file, `${order.rounds}`, `${order.bytes}`, order.sums === true ? 'sums' : 'ping-pong']
  return Number(execFileSync('mpirun', [...args, '-n', `${ranks}`, ...program], { encoding: 'utf8', timeout: 120_000 }))
}
