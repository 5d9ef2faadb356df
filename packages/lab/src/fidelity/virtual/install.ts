/** Replaces `node:net` by the virtual network in all modules that are imported later. */
import { registerHooks } from 'node:module'

const virtual = new URL('net.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) => {
    const isNet = specifier === 'net' || specifier === 'node:net'
    return isNet && context.parentURL !== virtual
      ? { url: virtual, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context)
  },
})
