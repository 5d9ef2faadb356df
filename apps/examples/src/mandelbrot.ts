// Draws the Mandelbrot set. The pieces of a space of two dimensions are merged into one image. They
// have different sizes, and each takes about 100 ms. In Jalapeno (§5.3) all pieces have one size.
import { space } from '@jel/compute/program'

const [WIDTH, HEIGHT, DEPTH] = [240, 160, 500]

/** A part of the picture. `pixels` says how soon each point escapes: 255 is at once, 0 is never. */
interface Tile {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** The whole picture as one tile, row by row. */
export const picture = space<Tile>(
  {
    limits: [
      [0, WIDTH],
      [0, HEIGHT],
    ],
    piece: '100 ms',
    merge: unite,
  },
  (ranges) => {
    const [[x, right], [y, bottom]] = ranges as [[number, number], [number, number]]
    const [width, height] = [right - x, bottom - y]
    return {
      x,
      y,
      width,
      height,
      pixels: Uint8Array.from({ length: width * height }, (_, at) => escape(x + (at % width), y + Math.floor(at / width))),
    }
  },
)

function escape(column: number, row: number): number {
  const [real, imaginary] = [(column / WIDTH) * 3 - 2.1, (row / HEIGHT) * 2 - 1]
  let [a, b] = [0, 0]
  for (let step = 0; step < DEPTH; step++) {
    if (a * a + b * b > 4) return 255 - Math.round(255 * (step / DEPTH) ** 0.3)
    ;[a, b] = [a * a - b * b + real, 2 * a * b + imaginary]
  }
  return 0
}

function unite(one: Tile, other: Tile): Tile {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)]
  const width = Math.max(one.x + one.width, other.x + other.width) - x
  const height = Math.max(one.y + one.height, other.y + other.height) - y
  const pixels = new Uint8Array(width * height)
  for (const tile of [one, other]) {
    for (let row = 0; row < tile.height; row++) {
      pixels.set(tile.pixels.subarray(row * tile.width, (row + 1) * tile.width), (tile.y - y + row) * width + tile.x - x)
    }
  }
  return { x, y, width, height, pixels }
}
