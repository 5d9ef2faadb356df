/** n queens (Satin): a tree of boards. The first rows of a board are tasks. */
import { task } from '@jel/compute/program'

/**
 * A chess board with queens on its first rows. Bits mark the squares of the next row that these
 * queens attack.
 */
interface Board {
  readonly size: number
  readonly row: number
  readonly columns: number
  readonly left: number
  readonly right: number
}

/** The number of rows that are tasks. One task counts the rest of a board. */
const ROWS = 3

/** Counts the ways to place queens on a board of this size so that none attacks another. */
export const queens = task(async (given: number | Board, { run }): Promise<number> => {
  const board = typeof given === 'number' ? { size: given, row: 0, columns: 0, left: 0, right: 0 } : given
  if (board.row >= ROWS) return count(board)
  const counts = await Promise.all(next(board).map((child) => run(queens, child)))
  return counts.reduce((sum, each) => sum + each, 0)
})

function count(board: Board): number {
  return board.row === board.size ? 1 : next(board).reduce((sum, child) => sum + count(child), 0)
}

function next({ size, row, columns, left, right }: Board): Board[] {
  const boards: Board[] = []
  for (let free = ~(columns | left | right) & ((1 << size) - 1); free !== 0; free &= free - 1) {
    const queen = free & -free
    boards.push({ size, row: row + 1, columns: columns | queen, left: (left | queen) << 1, right: (right | queen) >> 1 })
  }
  return boards
}
