/**
 * Names of the DOM library that the declarations of libp2p and main-event use. They are for
 * programs that are compiled for Node, without that library. If the library is present, they merge
 * with its own names.
 */
declare global {
  interface EventInit {
    bubbles?: boolean
    cancelable?: boolean
    composed?: boolean
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as the library has it: declarations that merge have equal type parameters
  interface CustomEventInit<T = any> extends EventInit {
    detail?: T
  }

  interface AddEventListenerOptions extends EventListenerOptions {
    once?: boolean
    passive?: boolean
    signal?: AbortSignal
  }

  /** A key as JSON. No other fields are used here. */
  interface JsonWebKey {
    kty?: string
  }
}

// oxlint-disable-next-line unicorn/require-module-specifiers -- it makes this a module, and `import` of it is kept in declarations
export {}
