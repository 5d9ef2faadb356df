/** The network that joins the hosts. */
import type { LabHost } from './host.ts'

export interface Medium {
  /** Resolves when the medium carries packets. */
  readonly ready: Promise<void>
  /** Gives a host its interface `eth0`, without an address. */
  attach(host: LabHost): void
  /**
   * Unplugs a host's cable, or plugs it in again. Unlike with a cut, the host's kernel notices
   * this.
   */
  plug(host: LabHost, state: 'up' | 'down'): void
  /** Limits both directions of a host's link, in bits a second; undefined removes the limit. */
  narrow(host: LabHost, bits: number | undefined): void
  /** Puts the host on the site with this index. */
  locate(host: LabHost, site: number): void
  /** Number of packets that the medium itself lost because the machine was too busy. */
  lost(): number
}
