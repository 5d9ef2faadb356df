import type { ConfigOverrides } from '@jel/protocol'

/** A problem before a node has entered. `code` is stable, `message` is for people. */
export interface EarlyWarning {
  readonly code: string
  readonly message: string
}

export interface OverlayOptions {
  /** Name of the pool: 1 to 128 bytes of UTF-8 without control characters. */
  readonly pool: string
  /**
   * Where to listen: multiaddrs or `ip:port`. Default: all interfaces, IPv4 and, where there is
   * one, IPv6, on one free port.
   */
  readonly listen?: readonly string[] | undefined
  /**
   * Where others reach this node, if not where it listens: behind a port mapping, in a container.
   * Multiaddrs or `host:port`, at most 8.
   */
  readonly announce?: readonly string[] | undefined
  /**
   * Makes the router map a port to this node (UPnP). Default: false; in that case nothing is sent
   * to find a router. RangeError together with `announce`.
   */
  readonly portMapping?: boolean | undefined
  /**
   * Ids of the only peers that may connect to this node, and that it connects to. Default:
   * everybody.
   */
  readonly allow?: readonly string[] | undefined
  /**
   * Members to enter through (introducers): `host:port`, or multiaddrs with or without `/p2p/<id>`.
   * Without any the pool is found by mDNS, or founded.
   */
  readonly bootstrap?: readonly string[] | undefined
  /**
   * Whether this node founds the pool, and stands in its elections, if no introducer lets it in.
   * Default: false; it waits for an introducer before it stands.
   */
  readonly found?: boolean | undefined
  /** Levels from fine to coarse joined by `@`. Default: the host name. */
  readonly location?: string | undefined
  /** The application's own bytes that every member receives, at most 1 KiB. Default: none. */
  readonly tag?: Uint8Array | undefined
  /**
   * The text of a `swarm.key`, which makes the pool private. See {@link generatePoolKey}. The first
   * of several keys is the primary one, which protects the connections that this node opens.
   * Inbound connections under any of them are accepted. See {@link Overlay.keys}.
   */
  readonly key?: Uint8Array | readonly Uint8Array[] | undefined
  /**
   * A file that keeps key and incarnation across restarts; created if there is none. Beside it,
   * `<file>.peers` keeps members, as ways into the pool for the next start, and the latest epochs
   * of elections. Default: a new key at each start.
   */
  readonly identityFile?: string | undefined
  /**
   * Whether to find members on the local network, and be found. Default: true. Without effect for a
   * node that listens on loopback only.
   */
  readonly mdns?: boolean | undefined
  /** Tunables of the protocol. */
  readonly config?: ConfigOverrides | undefined
  /**
   * Called with each problem before this node has entered. From then on notifications report
   * problems.
   */
  readonly onWarning?: ((warning: EarlyWarning) => void) | undefined
  /**
   * Aborts the start: everything opened is closed, and the start fails with the signal's reason.
   */
  readonly signal?: AbortSignal | undefined
}
