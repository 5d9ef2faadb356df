/**
 * The pool's keys for the application. A change also updates the discovery services and ends
 * connections.
 */
import { fromString } from 'uint8arrays'
import type { OverlayKeys, PoolKeyInfo } from '../api/port.ts'
import { serviceName } from '../base/names.ts'
import type { Parts } from '../engine/engine.ts'

export function createKeys({ pool, keys, host, discovery }: Parts, checkOpen: () => void): OverlayKeys {
  keys.follow({
    onInstalled: ({ text }) => void discovery?.add(serviceName(pool, text)),
    onRemoved: (key) => {
      void discovery?.remove(serviceName(pool, key.text))
      host.drop(key)
    },
  })
  const list = (): PoolKeyInfo[] => keys.all.map((key) => ({ id: key.id, primary: key === keys.primary }))
  return {
    install: async (key) => {
      checkOpen()
      const id = keys.install(typeof key === 'string' ? fromString(key) : key)
      return { id, primary: id === keys.primary?.id }
    },
    use: async (key) => {
      checkOpen()
      return { id: keys.use(key), primary: true }
    },
    remove: async (key) => {
      checkOpen()
      keys.remove(key)
    },
    list: async () => list(),
  }
}
