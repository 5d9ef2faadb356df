/** The program of a page in tests: it gives the test the library. */
import { joinPool, type Pool } from '@jel/jel'

declare global {
  var pool: Pool | undefined
  var join: (name: string, bootstrap: string[], key?: string) => Promise<number>
}

/** Joins, and echoes streams. Returns the time that this took, ms. */
globalThis.join = async (name, bootstrap, key) => {
  const began = performance.now()
  globalThis.pool = await joinPool(name, { bootstrap, ...(key !== undefined && { key }) })
  await globalThis.pool.handle('/echo/1', (stream) => {
    stream.addEventListener('message', ({ data }) => void stream.send(data))
  })
  return performance.now() - began
}
