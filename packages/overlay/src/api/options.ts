import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConfigOverrides } from '@jel/protocol'

/** A problem before a node has entered. `code` is stable. `message` is for people. */
export interface EarlyWarning {
  readonly code: string
  readonly message: string
}

/** A port for browsers: they open WebSockets at `/ws`, and pages at all other paths. */
export interface WebPort {
  /** `ip:port`, or a multiaddr. */
  readonly listen: string
  /**
   * Origins of other sites whose pages may connect, such as `https://pool.example.org`. Pages of
   * this port and of the ports of other members always may. Default: none.
   */
  readonly origins?: readonly string[] | undefined
  /** Answers requests for pages. Default: "404 Not Found". */
  readonly serve?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** The certificate with its chain, and its key, in PEM. Default: without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface OverlayOptions {
  /** Name of the pool: 1 to 128 bytes of UTF-8 without control characters. */
  readonly pool: string
  /**
   * The addresses to listen on: multiaddrs or `ip:port`. Default: one free port of all interfaces,
   * on IPv4 and, if the machine has it, on IPv6.
   */
  readonly listen?: readonly string[] | undefined
  /**
   * Addresses at which others reach this node, if it does not listen there itself: behind a port
   * mapping, in a container. Multiaddrs or `host:port`, at most 8.
   */
  readonly announce?: readonly string[] | undefined
  /** Takes browsers as members. Default: no. */
  readonly web?: WebPort | undefined
  /**
   * Makes the router map a port to this node (UPnP). Default: false; then the node does not look
   * for a router. The start throws RangeError if `announce` is given, too.
   */
  readonly portMapping?: boolean | undefined
  /**
   * Ids of the peers that may connect to this node. It connects to no other peers either. Default:
   * everybody.
   */
  readonly allow?: readonly string[] | undefined
  /**
   * Members to enter through (introducers): `host:port`, or multiaddrs with or without `/p2p/<id>`.
   * Without any the node finds the pool by mDNS, or founds it.
   */
  readonly bootstrap?: readonly string[] | undefined
  /**
   * Whether this node founds the pool, and may be a candidate in elections, if no introducer lets
   * it in. Default: false; then a node with `bootstrap` is no candidate until an introducer lets it
   * in.
   */
  readonly found?: boolean | undefined
  /** Levels from fine to coarse joined by `@`. Default: the host name. */
  readonly location?: string | undefined
  /** The application's own bytes that every member receives, at most 1 KiB. Default: none. */
  readonly tag?: Uint8Array | undefined
  /**
   * The text of a `swarm.key`. It makes the pool private. See {@link generatePoolKey}. The first of
   * several keys is the primary key: it protects the connections that this node opens. Inbound
   * connections may use any of the keys. See {@link Overlay.keys}.
   */
  readonly key?: Uint8Array | readonly Uint8Array[] | undefined
  /**
   * A file that keeps key and incarnation across restarts. The start creates the file if it does
   * not exist. Beside it, `<file>.peers` keeps the latest epochs of elections, and members through
   * which the next start can enter the pool. `<file>.records` keeps the pool's records. Default: a
   * new key at each start.
   */
  readonly identityFile?: string | undefined
  /**
   * Whether to find members on the local network, and be found there. Default: true. It has no
   * effect on a node that listens on loopback only.
   */
  readonly mdns?: boolean | undefined
  /** Settings of the protocol. */
  readonly config?: ConfigOverrides | undefined
  /**
   * Called with each problem before this node has entered. After the entry notifications report
   * problems.
   */
  readonly onWarning?: ((warning: EarlyWarning) => void) | undefined
  /**
   * Aborts the start. The start then closes everything that it opened, and fails with the signal's
   * reason.
   */
  readonly signal?: AbortSignal | undefined
}
