/**
 * Makes a PNG picture of the result of mandelbrot.ts:
 *
 *     npx -y pnpm@12 --silent example mandelbrot picture \
 *       | node apps/examples/picture.ts > mandelbrot.png
 */
import { json } from 'node:stream/consumers'
import { crc32, deflateSync } from 'node:zlib'

const { width, height, pixels } = (await json(process.stdin)) as { width: number; height: number; pixels: string }
const grey = Buffer.from(pixels, 'base64')
// Each row begins with its filter type, here none.
const rows = Array.from({ length: height }, (_, row) => Buffer.concat([Buffer.of(0), grey.subarray(row * width, (row + 1) * width)]))
const header = Buffer.alloc(13)
header.writeUInt32BE(width, 0)
header.writeUInt32BE(height, 4)
// Eight bits of grey.
header.writeUInt8(8, 8)
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })), chunk('IEND', Buffer.alloc(0))]
process.stdout.write(Buffer.concat([signature, ...chunks]))

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
